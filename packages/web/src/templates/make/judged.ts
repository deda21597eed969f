import { words } from '../../words.ts'
import { TYPES } from '../search.ts'

const w = words.templates

/** How many calls told of which type: 12 code, 3 terminal, 2 other. */
export function judgedOn(counts: Readonly<Record<string, number>>): string {
  const isType = (name: string) => TYPES.some((type) => type === name)
  const named = TYPES.map((type) => [w.types[type], counts[type] ?? 0] as const)
  const others = Object.entries(counts)
    .filter(([name]) => !isType(name))
    .reduce((sum, [, n]) => sum + n, 0)
  const said = [...named, [w.make.other, others] as const]
    .filter(([, n]) => n > 0)
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, n]) => w.make.counted(n, name))
  return said.length === 0 ? w.make.judgedOnNothing : w.make.judgedOn(said.join(', '))
}
