import type { Ledger } from '@panoptes/engine/ledger'
import type { Review } from '@panoptes/engine/review'
import type { Sessions } from '@panoptes/engine/sessions'
import type { Templates } from '@panoptes/engine/templates'
import { failure } from '@panoptes/schema/result'
import type { Known } from './own-data.ts'

export interface Rooms {
  readonly ledger: Pick<Ledger, 'agents'>
  readonly sessions: Sessions | undefined
  readonly templates: Templates | undefined
  readonly review: Review | undefined
}

const away = async () => failure('closed', 'This cannot be asked now.')

/** What the rooms of this process know. */
export const ofRooms = ({ ledger, sessions, templates, review }: Rooms): Known => ({
  search: sessions?.search ?? away,
  transcript: sessions?.transcript ?? away,
  alive: async (limit) => {
    const found = await ledger.agents({ states: ['working', 'waiting', 'stuck'], limit })
    return found.ok ? { ok: true, value: found.value.value } : found
  },
  costs: review?.costs ?? away,
  templates: async () => templates?.list() ?? away(),
  template: async (name) => templates?.show(name) ?? away(),
})
