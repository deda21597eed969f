import type { Recording, ReplayReply } from '@panoptes/schema'
import { readAgentId } from '@panoptes/schema/reading'
import { detailAt } from '../live/data/past-detail.ts'
import type { PastSource } from '../live/data/source.ts'

export const RECORDING_ID = 'panoptes-recording'
const LATEST = 12

/** The recording inside this page; null if there is none or its version is unsupported. */
export function readRecording(text: string): Recording | null {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return null
    return 'version' in value && value.version === 1 ? (value as Recording) : null
  } catch {
    return null
  }
}

/** Returns the last frame up to a moment, or the first frame for earlier moments. */
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

/** Serves the past from a recording, so that the page needs no server. */
export function createRecordingSource(recording: Recording): PastSource {
  return {
    live: false,
    timeline: async () => recording.timeline,
    step: async (at, by) => {
      const found =
        by > 0
          ? recording.events.find((event) => event.ts > at)
          : recording.events.findLast((event) => event.ts < at)
      return found?.ts ?? null
    },
    replay: async (at) => frameAt(recording, at),
    detail: async (ref, at) => {
      const moment = at ?? recording.to
      const own = recording.events.filter(
        (event) =>
          event.ts <= moment &&
          event.source === ref.source &&
          event.session_id === ref.session_id &&
          readAgentId(event) === ref.id,
      )
      return detailAt(ref, frameAt(recording, moment), own.slice(-LATEST), [])
    },
  }
}
