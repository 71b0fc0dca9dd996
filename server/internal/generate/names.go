package generate

import (
	"fmt"
	"strconv"
	"strings"
)

var given = strings.Fields(`Adriana Alice Aline Amanda Ana André Antônio Arthur Beatriz Benício Bernardo Bianca Breno Bruna Caio
	Camila Carla Carolina Cecília Clara Cláudio Daniel Davi Débora Diego Eduarda Eduardo Elisa Emanuel Enzo Fábio Felipe Fernanda
	Flávia Francisco Gabriel Gabriela Guilherme Gustavo Heitor Helena Heloísa Henrique Igor Inês Isabela Isadora Jéssica João
	Joaquim José Júlia Juliana Kauã Laís Lara Larissa Laura Leandro Letícia Lívia Lorena Lorenzo Lucas Luísa Luiz Manuela Marcelo
	Márcia Maria Mariana Marina Mateus Matheus Melissa Miguel Milena Murilo Natália Nicolas Olívia Otávio Patrícia Paulo Pedro
	Pietra Rafael Rafaela Raquel Rebeca Renata Renato Ricardo Rodrigo Samuel Sara Simone Sofia Stella Tatiana Teresa Thiago Valentina
	Vinícius Vitor Vitória Yasmin Yuri`)

var surnames = strings.Fields(`Almeida Alves Andrade Araújo Azevedo Barbosa Barros Batista Borges Brito Campos Cardoso Carvalho
	Castro Cavalcanti Correia Costa Cruz Cunha Dias Duarte Fernandes Ferreira Fonseca Freitas Garcia Gomes Gonçalves Guimarães
	Leite Lima Lopes Machado Maia Marques Martins Medeiros Melo Mendes Miranda Monteiro Moraes Moreira Moura Nascimento Nogueira
	Nunes Oliveira Pacheco Peixoto Pereira Pinheiro Pinto Ramos Reis Rezende Ribeiro Rocha Rodrigues Sales Sampaio Santana Santos
	Silva Silveira Soares Souza Tavares Teixeira Torres Vasconcelos Vieira Xavier`)

// person invents a name and an address that nobody can have.
func person(c *chance, number int) (name, address string) {
	first, last := pick(c, given), pick(c, surnames)
	name = first + " " + pick(c, surnames) + " " + last
	return name, plain(first) + "." + plain(last) + "." + strconv.Itoa(number+1) + "@" + domain
}

const domain = "lectern.example"

// plain writes a name without capitals and accents.
func plain(name string) string {
	return strings.NewReplacer("á", "a", "â", "a", "ã", "a", "é", "e", "ê", "e", "í", "i", "ó", "o", "ô", "o", "õ", "o", "ú", "u", "ç", "c").
		Replace(strings.ToLower(name))
}

// states are some of Brazil's, with cities of each.
var states = []struct {
	code   string
	cities []string
}{
	{"BA", []string{"Salvador", "Feira de Santana", "Vitória da Conquista", "Ilhéus", "Juazeiro"}},
	{"CE", []string{"Fortaleza", "Sobral", "Juazeiro do Norte", "Crato", "Quixadá"}},
	{"MG", []string{"Belo Horizonte", "Uberlândia", "Juiz de Fora", "Montes Claros", "Ouro Preto"}},
	{"PA", []string{"Belém", "Santarém", "Marabá", "Castanhal", "Altamira"}},
	{"PE", []string{"Recife", "Olinda", "Caruaru", "Petrolina", "Garanhuns"}},
	{"PR", []string{"Curitiba", "Londrina", "Maringá", "Ponta Grossa", "Cascavel"}},
	{"RJ", []string{"Rio de Janeiro", "Niterói", "Petrópolis", "Volta Redonda", "Campos dos Goytacazes"}},
	{"RS", []string{"Porto Alegre", "Caxias do Sul", "Pelotas", "Santa Maria", "Passo Fundo"}},
	{"SC", []string{"Florianópolis", "Joinville", "Blumenau", "Chapecó", "Lages"}},
	{"SP", []string{"São Paulo", "Campinas", "Santos", "Ribeirão Preto", "São José dos Campos"}},
}

var schoolKinds = []string{"Escola Municipal", "Escola Estadual", "Colégio", "Centro Educacional", "Instituto", "Escola Comunitária"}

var schoolNames = []string{
	"Ipê-Amarelo", "Jacarandá", "Pau-Brasil", "Vitória-Régia", "Araucária", "Buriti", "Carnaúba", "Jequitibá", "Mandacaru", "Quaresmeira",
	"Sabiá-Laranjeira", "Beija-Flor", "Tuiuiú", "Arara-Azul", "Bem-Te-Vi", "Boto-Rosa", "Lobo-Guará", "Mico-Leão", "Onça-Pintada", "Tamanduá",
	"Água Clara", "Serra Azul", "Vale Verde", "Monte Alto", "Rio Manso", "Pedra Branca", "Campo Belo", "Mar Aberto", "Lagoa Serena", "Céu de Outono",
	"Primeiras Letras", "Mil Páginas", "Livro Aberto", "Ponte de Papel", "Roda de Histórias", "Varal de Cordel", "Tinta Fresca", "Lápis de Cor", "Caderno Novo", "Palavra Viva",
}

// invented returns the schools of a network in one state, each with a code that no school can have: 99 is no state.
func invented(seed uint64) []school {
	c := newChance(seed, forSchool, 0)
	state := pick(&c, states)
	var list []school
	for _, kind := range schoolKinds {
		for _, name := range schoolNames {
			list = append(list, school{name: kind + " " + name, state: state.code, city: pick(&c, state.cities)})
		}
	}
	shuffle(&c, list)
	for i := range list {
		list[i].inep = fmt.Sprintf("99%06d", i+1)
	}
	return list
}

// classics returns titles in the public domain.
func classics() []title {
	var list []title
	for _, by := range []struct {
		author string
		titles []string
	}{
		{"Machado de Assis", []string{"Dom Casmurro", "Memórias Póstumas de Brás Cubas", "Quincas Borba", "O Alienista", "Esaú e Jacó", "Memorial de Aires", "Helena", "A Mão e a Luva", "Iaiá Garcia", "Papéis Avulsos"}},
		{"José de Alencar", []string{"O Guarani", "Iracema", "Senhora", "Lucíola", "Til", "Ubirajara", "O Sertanejo", "Cinco Minutos", "A Viuvinha"}},
		{"Aluísio Azevedo", []string{"O Cortiço", "O Mulato", "Casa de Pensão"}},
		{"Lima Barreto", []string{"Triste Fim de Policarpo Quaresma", "Recordações do Escrivão Isaías Caminha", "Clara dos Anjos", "Numa e a Ninfa"}},
		{"Euclides da Cunha", []string{"Os Sertões"}},
		{"Raul Pompeia", []string{"O Ateneu"}},
		{"Manuel Antônio de Almeida", []string{"Memórias de um Sargento de Milícias"}},
		{"Joaquim Manuel de Macedo", []string{"A Moreninha", "A Luneta Mágica"}},
		{"Bernardo Guimarães", []string{"A Escrava Isaura", "O Seminarista"}},
		{"Visconde de Taunay", []string{"Inocência"}},
		{"Júlia Lopes de Almeida", []string{"A Falência", "A Viúva Simões", "Contos Infantis"}},
		{"Maria Firmina dos Reis", []string{"Úrsula"}},
		{"Castro Alves", []string{"Espumas Flutuantes", "O Navio Negreiro"}},
		{"Gonçalves Dias", []string{"Primeiros Cantos", "I-Juca-Pirama"}},
		{"Olavo Bilac", []string{"Poesias Infantis"}},
		{"Cruz e Sousa", []string{"Broquéis"}},
		{"Simões Lopes Neto", []string{"Contos Gauchescos", "Lendas do Sul"}},
		{"Eça de Queirós", []string{"A Cidade e as Serras", "Os Maias", "O Crime do Padre Amaro"}},
		{"Camilo Castelo Branco", []string{"Amor de Perdição"}},
		{"Júlio Dinis", []string{"As Pupilas do Senhor Reitor"}},
		{"Luís de Camões", []string{"Os Lusíadas"}},
		{"Gil Vicente", []string{"Auto da Barca do Inferno", "Farsa de Inês Pereira"}},
		{"Hans Christian Andersen", []string{"O Patinho Feio", "A Pequena Sereia", "O Soldadinho de Chumbo"}},
		{"Jacob e Wilhelm Grimm", []string{"João e Maria", "Branca de Neve"}},
		{"Charles Perrault", []string{"O Gato de Botas", "Cinderela"}},
		{"Lewis Carroll", []string{"Alice no País das Maravilhas"}},
		{"Carlo Collodi", []string{"As Aventuras de Pinóquio"}},
		{"Júlio Verne", []string{"Vinte Mil Léguas Submarinas", "A Volta ao Mundo em Oitenta Dias"}},
		{"", []string{"As Mil e Uma Noites"}},
	} {
		for _, name := range by.titles {
			list = append(list, title{title: name, author: by.author})
		}
	}
	return list
}
