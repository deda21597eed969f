import { check } from '@panoptes/schema'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import type { Asked } from './access.ts'

/** What a question may be, and what it is once it was checked. */
export type Schema = Parameters<typeof check>[0]
export type Valid<S> = S extends { readonly _zod: { readonly output: infer T } } ? T : never

/** The same rules as for an address. */
export function valid<S extends Schema>(schema: S, asked: Asked): Valid<S> {
  const given = Object.fromEntries(
    Object.entries(asked).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  )
  const checked = check(schema, given)
  if (checked.ok) return checked.value as Valid<S>
  const [problem] = checked.problems
  throw new CommandFailure(`${problem?.path ? `--${problem.path} ` : ''}${problem?.reason ?? 'is wrong'}`, {
    code: 'usage',
    next: 'See what can be asked: panoptes help ledger',
    exit: EXIT.usage,
  })
}
