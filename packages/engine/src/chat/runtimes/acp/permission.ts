import { type Fields, listOf, textOf } from '../fields.ts'

/** What may be chosen, in our words, and which option of the agent's each of them is. */
export type Offered = ReadonlyMap<string, { readonly option: string; readonly name: string }>

/** An agent may offer several of a kind: the first counts, but that one for the session is told from one for ever. */
export function offeredBy(options: unknown): Offered {
  const offered = new Map<string, { option: string; name: string }>()
  for (const option of listOf(options)) {
    const choice = choiceOf(option)
    if (choice === null || offered.has(choice)) continue
    offered.set(choice, { option: textOf(option.optionId), name: textOf(option.name) })
  }
  return offered
}

function choiceOf({ kind, optionId, name }: Fields): string | null {
  if (typeof optionId !== 'string') return null
  switch (kind) {
    case 'allow_once':
      return 'once'
    case 'allow_always':
      return /session/i.test(`${optionId} ${textOf(name)}`) ? 'session' : 'always'
    case 'reject_once':
    case 'reject_always':
      return 'deny'
    default:
      return null
  }
}

const ORDER = ['once', 'session', 'always', 'deny']

/** To deny is always possible. */
export const choicesOf = (offered: Offered): readonly string[] =>
  ORDER.filter((choice) => choice === 'deny' || offered.has(choice))

/** The answer to the agent. Nobody's answer is a refusal, and so is one that was not offered. */
export function outcomeOf(offered: Offered, choice: string | null, isStopped: boolean): Fields {
  const chosen = isStopped ? undefined : offered.get(choice ?? 'deny')
  return {
    outcome: chosen ? { outcome: 'selected', optionId: chosen.option } : { outcome: 'cancelled' },
  }
}
