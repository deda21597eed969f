import type { Counters } from '@panoptes/schema'
import { columns, count } from '../terminal/format.ts'

type FlatCounters = ReadonlyMap<string, number>

export interface Verdict {
  readonly table: readonly string[]
  /** The names of the counters that differ. */
  readonly differences: readonly string[]
}

/** Compares what the store counted between before and after with what the generator counted. */
export function compare(
  generator: Counters,
  before: Counters,
  after: Counters,
): { readonly counters: Counters; readonly verdict: Verdict } {
  const counters = subtractCounters(before, after)
  const expected = flatten(generator)
  const counted = flatten(counters)
  const names = [...new Set([...expected.keys(), ...counted.keys()])]
  const differences = names.filter((name) => (expected.get(name) ?? 0) !== (counted.get(name) ?? 0))
  const rows = names.map((name) => [
    name,
    count(expected.get(name) ?? 0),
    count(counted.get(name) ?? 0),
    differences.includes(name) ? 'differs' : '',
  ])
  const widths = [1, 2].map((column) => Math.max(9, ...rows.map((row) => row[column]?.length ?? 0)))
  const aligned = [['', 'generator', 'store', ''], ...rows].map(([name = '', a = '', b = '', mark = '']) => [
    name,
    a.padStart(widths[0] ?? 0),
    b.padStart(widths[1] ?? 0),
    mark,
  ])
  return { counters, verdict: { table: columns(aligned), differences } }
}

function subtractCounters(before: Counters, after: Counters): Counters {
  const subtract = (a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      Object.entries(b)
        .map(([name, value]) => [name, value - (a[name] ?? 0)] as const)
        .filter(([, value]) => value !== 0),
    )
  const { by_kind: kindsBefore, by_source: sourcesBefore, ...numbersBefore } = before
  const { by_kind: kinds, by_source: sources, ...numbers } = after
  const zeros = Object.fromEntries(Object.keys(numbers).map((name) => [name, 0]))
  return {
    ...(zeros as Omit<Counters, 'by_kind' | 'by_source'>),
    ...subtract(numbersBefore, numbers),
    by_kind: subtract(kindsBefore, kinds),
    by_source: subtract(sourcesBefore, sources),
  }
}

function flatten({ by_kind, by_source, ...numbers }: Counters): FlatCounters {
  return new Map([
    ...Object.entries(numbers),
    ...Object.entries(by_kind).map(([kind, value]) => [`kind ${kind}`, value] as const),
    ...Object.entries(by_source).map(([source, value]) => [`source ${source}`, value] as const),
  ])
}
