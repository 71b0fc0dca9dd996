package generate

import "fmt"

// vocabulary has the names of a network that grow with it. A term's id is its place, from 1.
type vocabulary struct {
	libraries, publishers []string
}

// newVocabulary names one library for each 4,000 users, from 4 to 60, and the publishers.
func newVocabulary(users int) (v vocabulary) {
	for i := range min(max(users/4000, 4), 60) {
		v.libraries = append(v.libraries, libraryKinds[i%len(libraryKinds)]+" "+schoolNames[i%len(schoolNames)])
	}
	for _, name := range schoolNames {
		v.publishers = append(v.publishers, "Editora "+name)
	}
	return v
}

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

// terms writes one vocabulary.
func terms(t *table, names []string) {
	for i, name := range names {
		t.int(i + 1)
		t.text(name)
		t.end()
	}
}

// administrativeRegion is one of a state's city; the third city and those after it have none.
func administrativeRegion(city int, c *chance) string {
	if city > 1 {
		return ""
	}
	return fmt.Sprintf("RA %d", 1+c.below(12))
}

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

// inventTitle makes a title and an author; some titles name no author, some come twice.
func inventTitle(c *chance) title {
	t := title{title: pick(c, nouns) + " " + pick(c, owners)}
	switch c.below(10) {
	case 0, 1:
		t.title += ", volume " + fmt.Sprint(c.between(1, 4))
	case 2:
		t.title += ": " + pick(c, subjects)
	}
	if !c.in1000(30) {
		t.author, _ = person(c, 0)
	}
	return t
}

// inventTitles returns so many titles: first those of the public domain.
func inventTitles(n int, seed uint64) []title {
	list := classics()
	list = list[:min(n, len(list))]
	for i := len(list); i < n; i++ {
		c := newChance(seed, forTitle, i)
		list = append(list, inventTitle(&c))
	}
	for i := range list {
		list[i].isbn = inventISBN(i)
	}
	return list
}

// inventISBN returns the number of the i-th title: 979-9 is given to no country. One title in nine has none, and one in
// nine shows hyphens.
func inventISBN(i int) string {
	if i%9 == 4 {
		return ""
	}
	digits := "9799" + string(appendDigits(nil, i+1, 8))
	sum := 0
	for k, d := range digits {
		sum += int(d-'0') * (1 + 2*(k%2))
	}
	check := fmt.Sprint((10 - sum%10) % 10)
	if i%9 == 7 {
		return digits[:3] + "-" + digits[3:4] + "-" + digits[4:8] + "-" + digits[8:] + "-" + check
	}
	return digits + check
}
