import type { EventInput } from '@panoptes/schema'
import type { Play } from './cast.ts'
import type { Random } from './random.ts'

/** One step of a life: a pause, then an event or the start of another life. */
export interface Beat {
  readonly after: number
  readonly event?: EventInput
  readonly begin?: Life
}

/** Everything one agent does, from beginning to end. */
export type Life = Generator<Beat, void, undefined>

/** A running session as its agents see it. */
export interface Stage {
  readonly chance: Random
  readonly play: Play
  readonly session: string
  readonly host: string
  readonly clock: { readonly now: number }
  /** The number of running helpers, which is bounded. */
  helpers: number
  serial: number
}

export const mint = (stage: Stage, prefix: string): string => {
  stage.serial += 1
  return `${prefix}${stage.serial.toString(36).padStart(4, '0')}${stage.chance.hex(4)}`
}

/** Builds an event of this stage. The clock adds the time. */
export function say(
  stage: Stage,
  event: string,
  id: string | undefined,
  fields: Readonly<Record<string, unknown>>,
): EventInput {
  const { source } = stage.play
  stage.serial += id === undefined ? 1 : 0
  const key = `${source}:${stage.session}:${id ?? `n${stage.serial.toString(36)}`}:${event}`
  return {
    v: 1,
    key,
    event,
    source,
    host: stage.host,
    session_id: stage.session,
    ...(id === undefined ? {} : { id }),
    ...fields,
  }
}
