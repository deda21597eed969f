import { type Cell, type Page, readPage } from './cells.ts'
import type { DamagedFile } from './damaged-file.ts'
import { type Layout, rowValues, type Shape } from './shapes.ts'

/** The readable pages of one table, and how many cannot be read. */
export interface TablePages {
  readonly shape: Shape
  readonly pages: number[]
  unreadable: number
}

export interface Survey {
  readonly tables: ReadonlyMap<string, TablePages>
  /** Pages of the index of event keys, which still mention lost events. */
  readonly keys: readonly number[]
  /** Pages in use that cannot be read and whose contents nothing reveals. */
  readonly unknown: number
}

const KEYS_INDEX = 'events_key'
const DEEPEST = 40
const AT_ONCE = 256
const SAMPLE = 3

/**
 * Finds out which page belongs to which table. The pointer map says so page by page, and the inner pages of
 * each tree repeat it. Where both are lost, the rows themselves have to show it.
 */
export async function survey(
  file: DamagedFile,
  schemaShapes: { readonly shapes: readonly Shape[]; readonly layouts: readonly Layout[] },
  step: (done: number) => Promise<void>,
): Promise<Survey> {
  const kinds = new Map<number, Page['kind'] | undefined>()
  const parents = new Map<number, number>()
  const free = freePages(file)
  for (let number = 1; number <= file.count; number += 1) {
    if (number % AT_ONCE === 0) await step(number)
    const { use } = file.readMapEntry(number)
    if (file.isMap(number) || use === 'free' || use === 'overflow' || free.has(number)) continue
    const page = readPage(file, number, { rows: false })
    kinds.set(number, page?.kind)
    for (const child of page?.children ?? [])
      if (file.readMapEntry(child).use === 'unknown' && child !== number) parents.set(child, number)
  }
  const schema = schemaIn(file, kinds)
  const findRoot = (number: number): number | undefined => {
    let at = number
    for (let depth = 0; depth < DEEPEST; depth += 1) {
      if (at === 1 || schema.has(at)) return at
      const { use, parent } = file.readMapEntry(at)
      if (use === 'root') return at
      const above = use === 'tree' ? parent : parents.get(at)
      if (above === undefined || above === 0) return undefined
      at = above
    }
    return undefined
  }
  const roots = new Map<number, number[]>()
  const orphans: number[] = []
  for (const number of kinds.keys()) {
    const root = findRoot(number)
    if (root === undefined) orphans.push(number)
    else if (root !== 1) {
      const pages = roots.get(root)
      if (pages === undefined) roots.set(root, [number])
      else pages.push(number)
    }
  }
  return assign(file, schemaShapes, { schema, roots, orphans, kinds })
}

interface Found {
  readonly schema: ReadonlyMap<number, string>
  readonly roots: ReadonlyMap<number, readonly number[]>
  readonly orphans: readonly number[]
  readonly kinds: ReadonlyMap<number, Page['kind'] | undefined>
}

function assign(
  file: DamagedFile,
  { shapes, layouts }: { readonly shapes: readonly Shape[]; readonly layouts: readonly Layout[] },
  { schema, roots, orphans, kinds }: Found,
): Survey {
  const tables = new Map<string, TablePages>()
  for (const shape of shapes) tables.set(shape.name, { shape, pages: [], unreadable: 0 })
  const named = new Set(schema.values())
  const keys: number[] = []
  let unknown = 0
  const take = (name: string | undefined, number: number) => {
    const isReadable = kinds.get(number) !== undefined
    const table = name === undefined ? undefined : tables.get(name)
    if (name === KEYS_INDEX && isReadable) keys.push(number)
    if (table !== undefined && isReadable) table.pages.push(number)
    else if (table !== undefined) table.unreadable += 1
    else if (name === undefined && !isReadable) unknown += 1
  }
  for (const [root, numbers] of roots) {
    const name = schema.get(root) ?? guess(file, shapes, layouts, { root, numbers, named })
    for (const number of numbers) take(name, number)
  }
  for (const number of orphans) {
    const page = readPage(file, number)
    const fitting = page === undefined ? [] : shapes.filter((shape) => fits(shape, page))
    take(fitting.length === 1 ? fitting[0]?.name : undefined, number)
  }
  return { tables, keys, unknown }
}

/**
 * Uses the usual first pages of a store's tables if the rows agree, and otherwise the rows alone if only one
 * table has such rows.
 */
function guess(
  file: DamagedFile,
  shapes: readonly Shape[],
  layouts: readonly Layout[],
  {
    root,
    numbers,
    named,
  }: { readonly root: number; readonly numbers: readonly number[]; readonly named: ReadonlySet<string> },
): string | undefined {
  const sample: Page[] = []
  for (const number of numbers) {
    const page = readPage(file, number)
    if (page !== undefined && page.cells.length > 0) sample.push(page)
    if (sample.length === SAMPLE) break
  }
  const fitsAll = (shape: Shape) => !named.has(shape.name) && sample.every((page) => fits(shape, page))
  const placed = layouts.map((layout) => layout.get(root)).filter((name) => name !== undefined)
  for (const name of placed) {
    const shape = shapes.find((each) => each.name === name)
    if (shape !== undefined && sample.length > 0 && fitsAll(shape)) return name
  }
  const fitting = sample.length > 0 ? shapes.filter(fitsAll) : []
  if (fitting.length === 1) return fitting[0]?.name
  // The page belongs to an index, or to a table without rows.
  return placed.find((name) => !shapes.some((shape) => shape.name === name)) ?? placed[0]
}

/** Returns whether most cells are rows of the table. The others may be damaged. */
function fits(shape: Shape, { cells }: Page): boolean {
  const fitting = cells.filter((cell) => rowValues(shape, cell) !== undefined).length
  return cells.length > 0 && fitting * 2 > cells.length
}

/** Reads from the file itself where its tables and indexes begin. */
function schemaIn(
  file: DamagedFile,
  kinds: ReadonlyMap<number, Page['kind'] | undefined>,
): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  const take = ({ values: [type, name, , root] }: Cell) => {
    if (
      (type === 'table' || type === 'index') &&
      typeof name === 'string' &&
      typeof root === 'number' &&
      root > 1
    )
      found.set(root, name)
  }
  const visit = (number: number, depth: number) => {
    if (depth > DEEPEST || kinds.get(number) === undefined) return
    const page = readPage(file, number)
    for (const cell of page?.cells ?? []) if (page?.kind === 'table leaf') take(cell)
    for (const child of page?.kind === 'table inner' ? page.children : []) visit(child, depth + 1)
  }
  visit(1, 0)
  return found
}

/** Free pages still hold deleted rows. */
function freePages(file: DamagedFile): ReadonlySet<number> {
  const free = new Set<number>()
  const header = file.page(1)
  let trunk = header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(32) : 0
  while (trunk >= 2 && trunk <= file.count && !free.has(trunk)) {
    free.add(trunk)
    const page = file.page(trunk)
    const leaves = page.readUInt32BE(4)
    if (leaves > file.usable / 4 - 2) return free
    for (let index = 0; index < leaves; index += 1) free.add(page.readUInt32BE(8 + 4 * index))
    trunk = page.readUInt32BE(0)
  }
  return free
}
