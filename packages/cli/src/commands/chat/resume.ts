import type { ConversationHead } from '@panoptes/schema'
import { CommandFailure } from '../../failure.ts'
import { plain } from '../sessions/words.ts'
import type { Talk } from './talk.ts'

const MOST = 500

/** A conversation by its id or the beginning of it, or the one that was changed last. */
export async function resumed(talk: Pick<Talk, 'newest'>, wanted: string): Promise<ConversationHead> {
  const [last, ...more] = await talk.newest(wanted === 'last' ? 1 : MOST)
  if (last === undefined) throw unknown('There is no conversation yet', 'Begin one with: panoptes chat')
  if (wanted === 'last') return last
  const all = [last, ...more]
  const begins = ({ id }: ConversationHead) => id.startsWith(wanted) || id.startsWith(`chat-${wanted}`)
  const found = all.filter(({ id }) => id === wanted)
  const [one, other] = found.length > 0 ? found : all.filter(begins)
  if (one === undefined)
    throw unknown(
      `There is no conversation ${wanted}`,
      'See which there are with: panoptes sessions list --source panoptes',
    )
  if (other === undefined) return one
  const names = all
    .filter(begins)
    .slice(0, 5)
    .map(({ id, title }) => `${id} (${plain(title, 40)})`)
  throw new CommandFailure(`${wanted} is the beginning of several conversations`, {
    code: 'usage',
    next: `Give more of it: ${names.join(', ')}`,
  })
}

const unknown = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'not_found', next })
