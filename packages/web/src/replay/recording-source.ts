import type { Recording } from '@panoptes/schema'
import { agentOf } from '@panoptes/schema/reading'
import { detailAt } from '../live/data/detail-at.ts'
import type { PastSource } from '../live/data/source.ts'
import { frameAt } from './recording.ts'

const LATEST = 12

/** The past as a file tells it: nothing is asked of anyone. */
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
          agentOf(event) === ref.id,
      )
      return detailAt(ref, frameAt(recording, moment), own.slice(-LATEST), [])
    },
  }
}
