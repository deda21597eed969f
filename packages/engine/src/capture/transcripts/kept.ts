import { redactValue } from '@panoptes/engine/redact'
import { parseState, type TranscriptState } from '../claude-code/transcript-state.ts'
import { type Place, parsePlace } from '../tail/file-position.ts'

/**
 * Holds the read position of a transcript and the state that is needed to continue there. It commits with the
 * events.
 */
export interface Kept {
  readonly place: Place
  readonly state: TranscriptState
  readonly from: number
  readonly whole: boolean
}

export const markOf = (path: string): string => `transcript:${path}`

/**
 * Removes secrets from remembered calls and commands, because capture removes them from the events as well.
 */
export const writeKept = ({ place, state, ...rest }: Kept): string =>
  JSON.stringify({ ...place, ...rest, state: redactValue(state) })

export function parseKept(text: string | undefined): Kept | undefined {
  const place = parsePlace(text)
  if (text === undefined || place === undefined) return undefined
  const { state, from, whole } = JSON.parse(text) as Record<string, unknown>
  return {
    place,
    state: parseState(state),
    from: typeof from === 'number' ? from : 0,
    whole: whole === true,
  }
}
