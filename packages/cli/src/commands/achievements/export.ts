import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ACHIEVEMENTS_FORMATS,
  type AchievementsFormat,
  exportAchievements,
} from '@panoptes/engine/achievements'
import type { AchievementItem } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { targetOf } from '../../target.ts'
import { writeWhole } from '../../write-whole.ts'
import { countNow } from './access.ts'
import { type ViewOptions, wantedOf } from './wanted.ts'

export interface ExportOptions extends ViewOptions {
  readonly format?: string
  readonly state?: string
  readonly out?: string
  readonly force?: boolean
}

type ItemState = AchievementItem['state']
const STATES: readonly ItemState[] = ['unlocked', 'discovered', 'secret']

/** Writes achievements into a file, or to the standard output without one. */
export async function exportAll(context: Context, options: ExportOptions): Promise<void> {
  const { output } = context
  const { out } = options
  const state = options.state === undefined ? undefined : oneOf(options.state, STATES, 'state')
  const format = formatOf(options.format, out)
  if (format === 'svg' && state !== undefined)
    throw new CommandFailure('The card shows all of them, and has no room for one state alone', {
      code: 'usage',
      next: 'Leave --state out, or take --format markdown or json.',
      exit: EXIT.usage,
    })
  const wanted = wantedOf(options)
  const target = out === undefined || out === '-' ? null : await targetOf(context, out, options)
  const counted = await countNow(context, wanted)
  const text = exportAchievements(counted, format, state)
  const bytes = Readable.from([Buffer.from(text)])
  if (!target && output.json && format !== 'json') return output.answer([], { ok: true, format, text })
  if (!target) return pipeline(bytes, process.stdout, { end: false })
  await writeWhole(target, bytes)
  const { unlocked_count: unlocked, total_count: total } = counted
  output.answer([`${unlocked} of ${total} unlocked, in ${target}`], {
    ok: true,
    path: target,
    format,
    view: counted.view,
    unlocked_count: unlocked,
    total_count: total,
  })
}

const ENDINGS: Readonly<Record<string, AchievementsFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.svg': 'svg',
  '.json': 'json',
  '': 'json',
}

/** As it is asked for, else as the name of the file says. */
function formatOf(asked: string | undefined, out: string | undefined): AchievementsFormat {
  if (asked !== undefined) return oneOf(asked === 'md' ? 'markdown' : asked, ACHIEVEMENTS_FORMATS, 'format')
  const ending = extname(out ?? '')
  const format = ENDINGS[ending.toLowerCase()]
  if (format !== undefined) return format
  throw new CommandFailure(`Achievements are not written as ${ending}`, {
    code: 'usage',
    next: 'Let the file end with .json, .md or .svg, or say which with --format.',
    exit: EXIT.usage,
  })
}

function oneOf<T extends string>(asked: string, known: readonly T[], what: string): T {
  const found = known.find((one) => one === asked)
  if (found !== undefined) return found
  const next = `There are: ${known.join(', ')}`
  throw new CommandFailure(`There is no ${what} ${asked}`, { code: 'usage', next, exit: EXIT.usage })
}
