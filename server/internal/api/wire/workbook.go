package wire

import "fmt"

// The parts of a workbook other than its sheets.

const (
	xmlHeader = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

	mainSpace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationSpace = "http://schemas.openxmlformats.org/package/2006/relationships"
	officeSpace   = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	partType      = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// XLSXType is the media type of a workbook.
const XLSXType = partType + "sheet"

// The styles of cells, which are the places in cellXfs. A number with decimals has generalStyle and their number.
const (
	generalStyle byte = iota
	_
	_
	_
	_
	headingStyle
	textStyle
	dayStyle
	instantStyle

	mostDecimals = 4
)

// parts are the parts of a workbook with sheets of some names, but the sheets themselves.
func parts(names ...string) []struct{ name, text string } {
	var types, sheets, relations string
	for i, name := range names {
		types += fmt.Sprintf(`<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, i+1, partType)
		sheets += fmt.Sprintf(`<sheet name="%s" sheetId="%d" r:id="rId%[2]d"/>`, name, i+1)
		relations += fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%[1]d.xml"/>`, i+1, officeSpace)
	}
	return []struct{ name, text string }{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/>` +
			`<Override PartName="/xl/workbook.xml" ContentType="` + partType + `sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + partType + `styles+xml"/>` + types + `</Types>`},
		{"_rels/.rels", `<Relationships xmlns="` + relationSpace + `">` +
			`<Relationship Id="rId1" Type="` + officeSpace + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="` + officeSpace + `"><sheets>` + sheets + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + relationSpace + `">` + relations +
			fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(names)+1, officeSpace)},
		{"xl/styles.xml", styleSheet},
	}
}

// styleSheet has the formats of cells. Those up to 163 are built in: 2 has two decimals, and 49 keeps a text one when its cell is edited.
const styleSheet = `<styleSheet xmlns="` + mainSpace + `"><numFmts count="5">` +
	`<numFmt numFmtId="164" formatCode="0.0"/><numFmt numFmtId="165" formatCode="0.000"/><numFmt numFmtId="166" formatCode="0.0000"/>` +
	`<numFmt numFmtId="167" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="168" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="9">` +
	`<xf/>` +
	`<xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="2" applyNumberFormat="1"/>` +
	`<xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="166" applyNumberFormat="1"/>` +
	`<xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/>` +
	`<xf numFmtId="49" applyNumberFormat="1"/>` +
	`<xf numFmtId="167" applyNumberFormat="1"/><xf numFmtId="168" applyNumberFormat="1"/></cellXfs></styleSheet>`

// The text before and after the columns and the lines of a sheet, with its area. A spreadsheet is told not to complain that there
// are numbers among the texts.
const (
	sheetBegin = `<worksheet xmlns="` + mainSpace + `"><dimension ref="%s"/><sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
		`<sheetFormatPr defaultRowHeight="15"/><cols>`
	sheetColumn = `<col min="%[1]d" max="%[1]d" width="%d" customWidth="1"/>`
	sheetData   = `</cols><sheetData>`
	sheetEnd    = `</sheetData><autoFilter ref="%[1]s"/><ignoredErrors><ignoredError sqref="%[1]s" numberStoredAsText="1"/></ignoredErrors></worksheet>`
)
