import { parseState, type TranscriptState } from '../claude-code/transcript-state.ts'
import { type Place, parsePlace } from '../tail/place.ts'

/** How far a transcript was read, and what has to be remembered of it: it commits with the events. */
export interface Kept {
  readonly place: Place
  readonly state: TranscriptState
  readonly from: number
  readonly whole: boolean
}

export const markOf = (path: string): string => `transcript:${path}`

export const writeKept = ({ place, ...rest }: Kept): string => JSON.stringify({ ...place, ...rest })

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
