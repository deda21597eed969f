import { nearest } from '@panoptes/engine/home'
import type { AchievementItem } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure } from '../../failure.ts'
import { columns, count } from '../../terminal/format.ts'
import { plain } from '../sessions/format.ts'
import { countAchievements } from './access.ts'
import { dateText, progressText } from './format.ts'
import { parseViewOptions, type ViewOptions } from './view-options.ts'

export async function show(context: Context, id: string, options: ViewOptions): Promise<void> {
  const wanted = parseViewOptions(options)
  const { achievements, view, time_zone } = await countAchievements(context, wanted)
  const item = find(achievements, id)
  context.output.answer(lines(context, item), { ok: true, achievement: item, view, time_zone })
}

function find(items: readonly AchievementItem[], idOrName: string): AchievementItem {
  const word = toId(idOrName)
  const found = items.find((item) => item.id === word || (item.name !== SECRET && toId(item.name) === word))
  if (found) return found
  const ids = items.filter(({ state }) => state !== 'secret').map(({ id }) => id)
  const near = [...ids.filter((id) => word.length > 2 && id.includes(word)), nearest(word, ids)]
  const names = [...new Set(near.filter((name) => name !== undefined))].slice(0, MOST_NAMES)
  throw new CommandFailure(`Unknown achievement: ${plain(idOrName, 60)}`, {
    code: 'not_found',
    next:
      names.length > 0
        ? `Did you mean ${names.join(', ')}?`
        : 'List achievements: panoptes achievements list',
  })
}

const SECRET = '???'
const MOST_NAMES = 5

/** `Let Him Cook` and `let-him-cook` are the id `let_him_cook`. */
const toId = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')

function lines({ output: { paint } }: Context, item: AchievementItem): readonly string[] {
  const { name, description, category, state, tier, criteria, tier_dates: dates = {} } = item
  const reached = Object.entries(dates).map(([step, at]) => `${step} ${dateText(at)}`)
  return [
    paint.bold(name),
    description,
    '',
    ...columns([
      ...(state === 'secret' ? [] : [['id', item.id]]),
      ['category', category],
      ['state', tier === null ? state : `${state}, ${tier}`],
      ['progress', progressText(item)],
      ['what counts', criteria],
      ...(state === 'unlocked' ? [['unlocked', dateText(item.unlocked_at)]] : []),
      ...(reached.length > 1 ? [['tiers', reached.join(', ')]] : []),
      ...sessionRow(item),
    ]),
  ]
}

/** The session that earned the achievement, or the one that contributed most so far. */
function sessionRow({
  evidence,
  best_session,
  unlocked,
  kind,
}: AchievementItem): readonly (readonly string[])[] {
  const session = evidence ?? best_session
  if (!session) return []
  const { title, session_id: id, value } = session
  const named = title === '' ? plain(id, 60) : `${plain(title, 60)} (${plain(id, 60)})`
  if (evidence) return [['session', `${named}, ${count(value)}`]]
  const share = kind === 'multi_condition' ? `${count(value)} %` : count(value)
  return [[unlocked ? 'most from' : 'best so far', `${named}, ${share}`]]
}
