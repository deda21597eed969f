import type { Recording, ReplayReply } from '@panoptes/schema'

export const RECORDING_ID = 'panoptes-recording'

/** The recording inside this page; null where there is none, or another version's. */
export function readRecording(text: string): Recording | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    return 'version' in value && value.version === 1 ? (value as Recording) : null
  } catch {
    return null
  }
}

/** The last frame up to a moment; the first one before that. */
export function frameAt(recording: Recording, at: number): ReplayReply {
  const { checkpoints, sessions } = recording
  let low = 0
  let high = checkpoints.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((checkpoints[middle]?.ts ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return { seq: 0, at, agents: [...(checkpoints[low]?.agents ?? [])], sessions: [...sessions] }
}
