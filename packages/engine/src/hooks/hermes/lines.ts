import { type Document, isMap, isSeq, stringify } from 'yaml'

type Ranged = { readonly range?: readonly [number, number, number] | null }

/** Adds an entry as lines at the end of its list, or makes the list, or the whole section; nothing where the text is not in lines. */
export function appendLines(
  text: string,
  document: Document,
  list: string,
  entry: unknown,
): string | undefined {
  const hooks = document.get('hooks', true)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = (value: unknown, indent: string): string =>
    stringify(value, { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map((line) => indent + line)
      .join(newline) + newline
  const insert = (at: number, written: string): string => {
    const before = text.slice(0, at)
    return before + (before === '' || before.endsWith('\n') ? '' : newline) + written + text.slice(at)
  }
  if (hooks === undefined) return insert(text.length, lines({ hooks: { [list]: [entry] } }, ''))
  if (!isMap(hooks) || hooks.flow) return undefined
  const section = hooks.items[0]?.key as Ranged | undefined
  const column = section?.range ? columnAt(text, section.range[0]) : undefined
  if (column === undefined) return undefined
  const seq = hooks.get(list, true)
  if (seq === undefined) return insert(endOf(text, hooks), lines({ [list]: [entry] }, ' '.repeat(column)))
  if (!isSeq(seq) || seq.flow || seq.items.length === 0) return undefined
  const dash = dashBefore(text, seq.items[0] as Ranged)
  return dash === undefined ? undefined : insert(endOf(text, seq), lines([entry], ' '.repeat(dash)))
}

/** Takes the lines of an entry out; with the last entry goes the list, and with the last list the section. */
export function takeItem(text: string, document: Document, list: string, index: number): string | undefined {
  const hooks = document.get('hooks', true)
  if (!isMap(hooks) || hooks.flow) return undefined
  const seq = hooks.get(list, true)
  if (!isSeq(seq) || seq.flow) return undefined
  if (seq.items.length > 1)
    return cut(text, lineStart(text, seq.items[index] as Ranged), endOf(text, seq.items[index] as Ranged))
  const owner = hooks.items.length > 1 ? hooks : isMap(document.contents) ? document.contents : undefined
  const name = owner === hooks ? list : 'hooks'
  const pair = owner?.items.find(({ key }) => String(key) === name)
  return pair ? cut(text, lineStart(text, pair.key as Ranged), endOf(text, pair.value as Ranged)) : undefined
}

const cut = (text: string, start: number | undefined, end: number): string | undefined =>
  start === undefined ? undefined : text.slice(0, start) + text.slice(end)

/** The end of the last line of a node; comments and empty lines after it belong to what follows. */
function endOf(text: string, { range }: Ranged): number {
  const end = range?.[1] ?? text.length
  if (end > 0 && text[end - 1] === '\n') return end
  const newline = text.indexOf('\n', end)
  return newline < 0 ? text.length : newline + 1
}

function lineStart(text: string, { range }: Ranged): number | undefined {
  return range ? text.lastIndexOf('\n', range[0] - 1) + 1 : undefined
}

const columnAt = (text: string, at: number): number => at - (text.lastIndexOf('\n', at - 1) + 1)

function dashBefore(text: string, { range }: Ranged): number | undefined {
  if (!range) return undefined
  const start = text.lastIndexOf('\n', range[0] - 1) + 1
  const indent = /^ *(?=- )/.exec(text.slice(start, range[0]))
  return indent?.[0].length
}
