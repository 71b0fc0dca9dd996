package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
)

// mutant is one change. Those that are switched on have a number from 1; the others stand alone, as a file with other text.
type mutant struct {
	at       token.Position
	from, to string
	number   int
	edit     *edit
}

func (m mutant) String() string { return fmt.Sprintf("%s -> %s", m.from, m.to) }

// edit replaces a literal by another text.
type edit struct {
	file       string
	start, end int
	text       string
}

// changer puts switches into the files of a package.
type changer struct {
	p       *packages.Package
	file    *ast.File
	mutants []mutant
	number  int
	// constant is the outermost constant expression that is walked through, and of which type it is.
	constant ast.Expr
	of       types.Type
	spared   []ast.Expr // what is not changed
	about    bool       // within what says of how many bytes something is, about
}

// opposites of an arithmetic operator.
var opposites = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL, token.REM: token.MUL,
	token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND, token.AND_NOT: token.AND, token.SHL: token.SHR, token.SHR: token.SHL,
}

// bounds are the comparisons with and without the bound, and opposed are their opposites.
var (
	bounds  = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	opposed = map[token.Token]token.Token{token.LSS: token.GEQ, token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR}
	// helpers are the functions of switches.txt for an operator.
	helpers = map[token.Token]string{
		token.LSS: "mutantLess", token.LEQ: "mutantLessEqual", token.GTR: "mutantGreater", token.GEQ: "mutantGreaterEqual",
		token.ADD: "mutantAdd", token.SUB: "mutantSub", token.MUL: "mutantMul", token.QUO: "mutantQuo", token.REM: "mutantRem",
		token.AND: "mutantBitAnd", token.OR: "mutantBitOr", token.XOR: "mutantXor", token.AND_NOT: "mutantAndNot",
		token.SHL: "mutantShl", token.SHR: "mutantShr", token.LAND: "mutantAnd", token.LOR: "mutantOr",
	}
)

// add notes a change and returns its number.
func (c *changer) add(pos token.Pos, from, to string) ast.Expr {
	c.number++
	c.mutants = append(c.mutants, mutant{at: c.p.Fset.Position(pos), from: from, to: to, number: c.number})
	return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(c.number)}
}

func (c *changer) change(f *ast.File) {
	c.file = f
	astutil.Apply(f, c.enter, c.leave)
	f.Comments = nil // what is replaced has no place, and comments would stand anywhere
}

// enter is called on the way in. Below what must be a constant nothing is switched.
func (c *changer) enter(at *astutil.Cursor) bool {
	switch n := at.Node().(type) {
	case *ast.FuncDecl:
		c.about = slices.Contains([]string{"Bytes", "bytes", "weight"}, n.Name.Name) && c.isInt(n.Type.Results)
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			ast.Inspect(n, c.alone)
		}
		return n.Tok == token.VAR || n.Tok == token.TYPE
	case *ast.CommentGroup:
		return false
	case *ast.CallExpr:
		c.room(n)
	case *ast.ReturnStmt:
		c.nothing(n)
	case *ast.ArrayType:
		if n.Len != nil {
			ast.Inspect(n.Len, c.alone)
			return false
		}
	case ast.Expr:
		if slices.Contains(c.spared, n) {
			return false
		}
		if kv, ok := at.Parent().(*ast.KeyValueExpr); ok && kv.Key == n && !c.mapped(n) {
			return false
		}
		if tv := c.p.TypesInfo.Types[n]; tv.Value != nil && c.constant == nil {
			c.constant, c.of = n, types.Default(tv.Type)
		}
	}
	return true
}

// isInt reports whether a function returns an int alone.
func (c *changer) isInt(results *ast.FieldList) bool {
	return results.NumFields() == 1 && types.Identical(c.p.TypesInfo.TypeOf(results.List[0].Type), types.Typ[types.Int])
}

// room notes the capacity that make is asked for: it makes no difference but to speed.
func (c *changer) room(n *ast.CallExpr) {
	if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "make" && len(n.Args) == 3 {
		c.spared = append(c.spared, n.Args[2])
	}
}

// nothing notes what is returned before false or an error and is 0 or false: nobody looks at it.
func (c *changer) nothing(n *ast.ReturnStmt) {
	if len(n.Results) < 2 {
		return
	}
	last := n.Results[len(n.Results)-1]
	if name, ok := last.(*ast.Ident); !ok || name.Name != "false" {
		if t := c.p.TypesInfo.TypeOf(last); !types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface)) {
			return
		}
	}
	for _, r := range n.Results[:len(n.Results)-1] {
		if text := types.ExprString(r); text == "0" || text == "false" {
			c.spared = append(c.spared, r)
		}
	}
}

// mapped reports whether an expression is the key of a map: of arrays they are constants, of structs names.
func (c *changer) mapped(key ast.Expr) bool {
	found := false
	path, _ := astutil.PathEnclosingInterval(c.file, key.Pos(), key.End())
	for _, n := range path {
		if l, ok := n.(*ast.CompositeLit); ok && !found {
			_, isMap := c.p.TypesInfo.TypeOf(l).Underlying().(*types.Map)
			return isMap
		}
	}
	return false
}

// alone notes the changes of literals that stay constants.
func (c *changer) alone(n ast.Node) bool {
	l, ok := n.(*ast.BasicLit)
	if !ok || l.Kind != token.INT && l.Kind != token.CHAR {
		return true
	}
	at := c.p.Fset.Position(l.Pos())
	for _, sign := range []string{"+", "-"} {
		to := fmt.Sprintf("(%s %s 1)", l.Value, sign)
		c.mutants = append(c.mutants, mutant{at: at, from: l.Value, to: to, edit: &edit{at.Filename, at.Offset, at.Offset + len(l.Value), to}})
	}
	return false
}

// leave is called on the way out, and puts the switches in.
func (c *changer) leave(at *astutil.Cursor) bool {
	switch n := at.Node().(type) {
	case *ast.FuncDecl:
		c.about = false
	case *ast.IncDecStmt:
		c.incDec(at, n)
	case *ast.AssignStmt:
		c.assign(n)
	case ast.Expr:
		if with := c.switched(at, n); with != nil {
			if n == c.constant && c.numeric(c.of) {
				with = &ast.CallExpr{Fun: c.typed(c.of), Args: []ast.Expr{with}}
			}
			at.Replace(with)
		}
		if n == c.constant {
			c.constant = nil
		}
	}
	return true
}

// switched returns what stands for an expression, nil for one that stays.
func (c *changer) switched(at *astutil.Cursor, e ast.Expr) ast.Expr {
	switch n := e.(type) {
	case *ast.BasicLit:
		return c.literal(n)
	case *ast.BinaryExpr:
		return c.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.SUB {
			return call("mutantNeg", c.add(n.Pos(), "-x", "x"), n.X)
		}
		if n.Op == token.NOT {
			return c.opposite(n, n.Pos(), "!x", "x")
		}
	case *ast.Ident:
		if v := c.p.TypesInfo.Types[n].Value; v != nil && (n.Name == "true" || n.Name == "false") {
			return c.opposite(n, n.Pos(), n.Name, "!"+n.Name)
		}
	}
	if c.constant == nil && condition(at) && c.isBool(e) {
		text := types.ExprString(e)
		return c.opposite(e, e.Pos(), text, "!"+text)
	}
	return nil
}

// condition reports whether a node decides something as it stands.
func condition(at *astutil.Cursor) bool {
	switch p := at.Parent().(type) {
	case *ast.IfStmt, *ast.ForStmt:
		return at.Name() == "Cond"
	case *ast.CaseClause:
		return at.Name() == "List"
	case *ast.ReturnStmt:
		return true
	case *ast.BinaryExpr:
		return p.Op == token.LAND || p.Op == token.LOR
	}
	return false
}

func (c *changer) isBool(e ast.Expr) bool {
	if _, ok := e.(*ast.ParenExpr); ok {
		return false // what is in them is changed
	}
	tv := c.p.TypesInfo.Types[e]
	return tv.IsValue() && tv.Value == nil && types.Identical(types.Default(tv.Type), types.Typ[types.Bool])
}

func (c *changer) opposite(e ast.Expr, pos token.Pos, from, to string) ast.Expr {
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: &ast.ParenExpr{X: e}, Op: token.NEQ, Y: call("mutantIs", c.add(pos, from, to))}}
}

func (c *changer) literal(n *ast.BasicLit) ast.Expr {
	t := c.p.TypesInfo.TypeOf(n)
	if n.Kind == token.STRING || t == nil || c.constant == nil || c.about {
		return nil
	}
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		t = c.of
	}
	if !c.numeric(t) {
		return nil
	}
	up := c.add(n.Pos(), n.Value, "("+n.Value+" + 1)")
	c.add(n.Pos(), n.Value, "("+n.Value+" - 1)")
	return call("mutantNumber", up, &ast.CallExpr{Fun: c.typed(t), Args: []ast.Expr{n}})
}

func (c *changer) binary(n *ast.BinaryExpr) ast.Expr {
	switch n.Op {
	case token.EQL:
		return c.opposite(n, n.OpPos, "==", "!=")
	case token.NEQ:
		return c.opposite(n, n.OpPos, "!=", "==")
	case token.LAND, token.LOR:
		to := token.LOR
		if n.Op == token.LOR {
			to = token.LAND
		}
		lazy := &ast.FuncLit{
			Type: &ast.FuncType{Params: &ast.FieldList{}, Results: &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent("bool")}}}},
			Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{n.Y}}}},
		}
		return call(helpers[n.Op], c.add(n.OpPos, n.Op.String(), to.String()), n.X, lazy)
	}
	if to, ok := bounds[n.Op]; ok {
		first := c.add(n.OpPos, n.Op.String(), to.String())
		c.add(n.OpPos, n.Op.String(), opposed[n.Op].String())
		return call(helpers[n.Op], first, n.X, n.Y)
	}
	if to, ok := opposites[n.Op]; ok && !c.about && c.numeric(c.p.TypesInfo.TypeOf(n)) {
		return call(helpers[n.Op], c.add(n.OpPos, n.Op.String(), to.String()), n.X, n.Y)
	}
	return nil
}

func (c *changer) numeric(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		_, param := t.(*types.TypeParam)
		return param
	}
	return b.Info()&types.IsNumeric != 0
}

// incDec makes of i++ an i += 1 that can be an i += -1.
func (c *changer) incDec(at *astutil.Cursor, n *ast.IncDecStmt) {
	op, to := token.ADD_ASSIGN, "--"
	if n.Tok == token.DEC {
		op, to = token.SUB_ASSIGN, "++"
	}
	one := &ast.CallExpr{Fun: c.typed(c.p.TypesInfo.TypeOf(n.X)), Args: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "1"}}}
	at.Replace(&ast.AssignStmt{Lhs: []ast.Expr{n.X}, Tok: op, Rhs: []ast.Expr{call("mutantSign", c.add(n.TokPos, n.Tok.String(), to), one)}})
}

// assign turns the sign of what += and -= add.
func (c *changer) assign(n *ast.AssignStmt) {
	t := c.p.TypesInfo.TypeOf(n.Lhs[0])
	if n.Tok != token.ADD_ASSIGN && n.Tok != token.SUB_ASSIGN || !c.numeric(t) {
		return
	}
	to := map[token.Token]string{token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+="}[n.Tok]
	n.Rhs[0] = call("mutantSign", c.add(n.TokPos, n.Tok.String(), to), &ast.CallExpr{Fun: c.typed(t), Args: []ast.Expr{n.Rhs[0]}})
}

// typed returns a type as the file writes it, or after an import that is added to it.
func (c *changer) typed(t types.Type) ast.Expr {
	text := types.TypeString(t, func(p *types.Package) string {
		if p == c.p.Types {
			return ""
		}
		for _, i := range c.file.Imports {
			if at, _ := strconv.Unquote(i.Path.Value); at == p.Path() && i.Name == nil {
				return p.Name()
			} else if at == p.Path() && i.Name.Name != "_" {
				return i.Name.Name
			}
		}
		name := "mutant_" + path.Base(p.Path())
		astutil.AddNamedImport(c.p.Fset, c.file, name, p.Path())
		return name
	})
	return &ast.ParenExpr{X: ast.NewIdent(text)}
}

func call(name string, args ...ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: ast.NewIdent(name), Args: args}
}
