import type { Review } from '@panoptes/engine/outcomes'
import type { Sessions } from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import type { Templates } from '@panoptes/engine/templates'
import { failure } from '@panoptes/schema/result'
import type { ToolDataSource } from './tool-data.ts'

export interface Rooms {
  readonly store: Pick<EventStore, 'agents'>
  readonly sessions: Sessions | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
}

const away = async () => failure('closed', 'This data is unavailable right now.')

/** Answers from the modules of this process. */
export const ofRooms = ({ store, sessions, templates, review }: Rooms): ToolDataSource => ({
  search: sessions?.search ?? away,
  transcript: sessions?.transcript ?? away,
  alive: async (limit) => {
    const found = await store.agents({ states: ['working', 'waiting', 'stuck'], limit })
    return found.ok ? { ok: true, value: found.value.value } : found
  },
  costs: review?.costs ?? away,
  templates: async () => templates?.list() ?? away(),
  template: async (name) => templates?.show(name) ?? away(),
})
