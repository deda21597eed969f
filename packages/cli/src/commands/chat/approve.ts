import type { ProgressEvent } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { canAsk } from '../../terminal/ask.ts'
import { TypedLines } from '../../terminal/typed-lines.ts'
import { plain, printable } from '../sessions/words.ts'
import { askedAbout } from './asked-about.ts'

const REFUSALS = ['deny', 'reject', 'reject_once', 'no']

/** What is asked of the person, with what it is about. */
export interface Question {
  readonly request: string
  readonly label: string
  readonly choices: readonly string[]
  readonly about: readonly string[]
}

export function questionIn({
  kind,
  status,
  label,
  detail,
  request_id,
  choices,
}: ProgressEvent): Question | null {
  if (kind !== 'approval' || status !== 'started') return null
  const told = (detail ?? {}) as Readonly<Record<string, unknown>>
  const request = request_id ?? (typeof told.request_id === 'string' ? told.request_id : null)
  if (request === null) return null
  return {
    request,
    label,
    choices: choices ?? [],
    about: askedAbout(told),
  }
}

/**
 * What the person chose; null where the run is to be stopped. Where nobody can be asked it is refused, with a word;
 * undefined where there is no way to say no, or somebody else answered meanwhile.
 */
export async function approved(
  { output }: Context,
  { label, choices, about }: Question,
  signal: AbortSignal,
  lines: TypedLines | null,
): Promise<string | null | undefined> {
  if (output.json || !canAsk()) {
    output.note(
      `${plain(label, 300)} – refused, because nobody can be asked here. Ask in a terminal or on the page to allow it.`,
    )
    return refusalIn(choices)
  }
  for (const line of about.flatMap((text) => printable(text))) output.note(`  ${line}`)
  const own = lines === null ? new TypedLines() : null
  const from = lines ?? own
  try {
    for (;;) {
      const prompt = `${plain(label, 300)} [${choices.join('/')}] `
      const typed = (await from?.next(prompt, { signal, fresh: true })) ?? 'unneeded'
      if (typed === 'interrupted') return null
      if (typed === 'left') return refusalIn(choices)
      if (typed === 'unneeded') return undefined
      const choice = chosen(typed.text.trim().toLowerCase(), choices)
      if (choice !== undefined) return choice
    }
  } finally {
    own?.close()
  }
}

/** A choice by its name or the beginning of it. */
function chosen(word: string, choices: readonly string[]): string | undefined {
  if (choices.includes(word)) return word
  const [one, other] = choices.filter((choice) => word !== '' && choice.startsWith(word))
  return other === undefined ? one : undefined
}

const refusalIn = (choices: readonly string[]): string | undefined =>
  choices.find((choice) => REFUSALS.includes(choice))
