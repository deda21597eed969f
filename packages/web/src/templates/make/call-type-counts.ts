import { words } from '../../words.ts'
import { TYPES } from '../search-params.ts'

const w = words.templates

/** Counts calls by type, such as 12 code, 3 terminal, 2 other. */
export function formatCallTypeCounts(counts: Readonly<Record<string, number>>): string {
  const isType = (name: string) => TYPES.some((type) => type === name)
  const named = TYPES.map((type) => [w.types[type], counts[type] ?? 0] as const)
  const others = Object.entries(counts)
    .filter(([name]) => !isType(name))
    .reduce((sum, [, n]) => sum + n, 0)
  const parts = [...named, [w.make.other, others] as const]
    .filter(([, n]) => n > 0)
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, n]) => w.make.counted(n, name))
  return parts.length === 0 ? w.make.judgedOnNothing : w.make.judgedOn(parts.join(', '))
}
