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
func invented(c *chance) []school {
	state := pick(c, states)
	var list []school
	for _, kind := range schoolKinds {
		for _, name := range schoolNames {
			list = append(list, school{name: kind + " " + name, state: state.code, city: pick(c, state.cities)})
		}
	}
	shuffle(c, list)
	for i := range list {
		list[i].inep = fmt.Sprintf("99%06d", i+1)
	}
	return list
}

// title is a book as a table of titles has it.
type title struct{ name, author, isbn string }

// classics returns titles in the public domain.
func classics() (list []title) {
	for line := range strings.Lines(publicDomain) {
		author, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.SplitSeq(names, "; ") {
			list = append(list, title{name: name, author: author})
		}
	}
	return list
}

// publicDomain has a line for each author; the last has none.
const publicDomain = `Machado de Assis: Dom Casmurro; Memórias Póstumas de Brás Cubas; Quincas Borba; O Alienista; Esaú e Jacó; Memorial de Aires; Helena; A Mão e a Luva; Iaiá Garcia; Papéis Avulsos
José de Alencar: O Guarani; Iracema; Senhora; Lucíola; Til; Ubirajara; O Sertanejo; Cinco Minutos; A Viuvinha
Aluísio Azevedo: O Cortiço; O Mulato; Casa de Pensão
Lima Barreto: Triste Fim de Policarpo Quaresma; Recordações do Escrivão Isaías Caminha; Clara dos Anjos; Numa e a Ninfa
Euclides da Cunha: Os Sertões
Raul Pompeia: O Ateneu
Manuel Antônio de Almeida: Memórias de um Sargento de Milícias
Joaquim Manuel de Macedo: A Moreninha; A Luneta Mágica
Bernardo Guimarães: A Escrava Isaura; O Seminarista
Visconde de Taunay: Inocência
Júlia Lopes de Almeida: A Falência; A Viúva Simões; Contos Infantis
Maria Firmina dos Reis: Úrsula
Castro Alves: Espumas Flutuantes; O Navio Negreiro
Gonçalves Dias: Primeiros Cantos; I-Juca-Pirama
Olavo Bilac: Poesias Infantis
Cruz e Sousa: Broquéis
Simões Lopes Neto: Contos Gauchescos; Lendas do Sul
Eça de Queirós: A Cidade e as Serras; Os Maias; O Crime do Padre Amaro
Camilo Castelo Branco: Amor de Perdição
Júlio Dinis: As Pupilas do Senhor Reitor
Luís de Camões: Os Lusíadas
Gil Vicente: Auto da Barca do Inferno; Farsa de Inês Pereira
Hans Christian Andersen: O Patinho Feio; A Pequena Sereia; O Soldadinho de Chumbo
Jacob e Wilhelm Grimm: João e Maria; Branca de Neve
Charles Perrault: O Gato de Botas; Cinderela
Lewis Carroll: Alice no País das Maravilhas
Carlo Collodi: As Aventuras de Pinóquio
Júlio Verne: Vinte Mil Léguas Submarinas; A Volta ao Mundo em Oitenta Dias
: As Mil e Uma Noites`

var libraryKinds = []string{"Biblioteca Municipal", "Biblioteca Pública", "Biblioteca Comunitária"} // 3 of them and 40 names make 120

var ageGroups = []string{"Até 6 anos", "7 a 9 anos", "10 a 12 anos", "13 a 17 anos", "18 a 29 anos", "30 a 59 anos", "60 anos ou mais"}

var categories = []string{
	"Romance", "Contos", "Poesia", "Teatro", "Infantil", "Juvenil", "Quadrinhos", "Crônicas", "Biografia", "História", "Filosofia",
	"Ciências", "Saúde", "Educação", "Artes", "Culinária", "Viagem", "Economia", "Tecnologia", "Idiomas",
}

var subjects = []string{
	"Amizade", "Amor", "Aventura", "Animais", "Água", "Brasil", "Cidades", "Cordel", "Cultura popular", "Escola", "Família", "Fantasia",
	"Folclore", "Futebol", "Humor", "Imigração", "Infância", "Mar", "Medo", "Memória", "Meio ambiente", "Mistério", "Mitologia", "Música",
	"Natureza", "Povos indígenas", "Sertão", "Sonhos", "Tempo", "Trabalho", "Velhice", "Viagens no espaço",
}

// publishers are invented houses.
var publishers = func() (list []string) {
	for _, name := range schoolNames {
		list = append(list, "Editora "+name)
	}
	return list
}()

// The words of invented titles: a noun with its article, and what it is of.
var (
	nouns = []string{
		"A Casa", "O Jardim", "A Ponte", "O Caderno", "A Janela", "O Relógio", "A Canção", "O Segredo", "A Estrada", "O Mapa", "A Ilha",
		"O Barco", "A Colheita", "O Silêncio", "A Carta", "O Inverno", "A Noite", "O Espelho", "A Árvore", "O Trem", "A Máquina",
		"O Vendedor", "A Menina", "O Menino", "A Avó", "O Pescador", "A Costureira", "O Inventor", "A Herdeira", "O Farol",
	}
	owners = []string{
		"do Rio", "da Lua", "do Vento", "das Horas", "do Sertão", "da Serra", "do Mar", "das Águas", "do Sol", "da Memória", "do Tempo",
		"das Pedras", "do Outono", "da Chuva", "do Quintal", "das Nuvens", "da Última Estação", "do Primeiro Dia", "dos Pássaros", "sem Nome",
		"de Ninguém", "de Papel", "de Areia", "de Vidro", "que Voltou", "que Sonhava", "em Flor", "em Silêncio", "dos Avós", "da Infância",
	}
)
