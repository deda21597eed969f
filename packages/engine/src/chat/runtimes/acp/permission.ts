import { type Fields, toFieldList, toText } from '../fields.ts'

/** The choices in our terms, mapped to the agent's options. */
export type Offered = ReadonlyMap<string, { readonly option: string; readonly name: string }>

/**
 * An agent may offer several options of a kind. The first one counts, but an option for the session
 * is distinguished from a permanent one.
 */
export function offeredBy(options: unknown): Offered {
  const offered = new Map<string, { option: string; name: string }>()
  for (const option of toFieldList(options)) {
    const choice = parseChoice(option)
    if (choice === null || offered.has(choice)) continue
    offered.set(choice, { option: toText(option.optionId), name: toText(option.name) })
  }
  return offered
}

function parseChoice({ kind, optionId, name }: Fields): string | null {
  if (typeof optionId !== 'string') return null
  switch (kind) {
    case 'allow_once':
      return 'once'
    case 'allow_always':
      return /session/i.test(`${optionId} ${toText(name)}`) ? 'session' : 'always'
    case 'reject_once':
    case 'reject_always':
      return 'deny'
    default:
      return null
  }
}

const ORDER = ['once', 'session', 'always', 'deny']

/** Lists the choices of the user. Denying is always possible. */
export const listChoices = (offered: Offered): readonly string[] =>
  ORDER.filter((choice) => choice === 'deny' || offered.has(choice))

/** Builds the agent's answer. A missing answer, or a choice that was not offered, is a denial. */
export function toOutcome(offered: Offered, choice: string | null, isStopped: boolean): Fields {
  const chosen = isStopped ? undefined : offered.get(choice ?? 'deny')
  return {
    outcome: chosen ? { outcome: 'selected', optionId: chosen.option } : { outcome: 'cancelled' },
  }
}
