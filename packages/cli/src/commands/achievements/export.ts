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
import { CommandFailure, EXIT } from '../../failure.ts'
import { resolveTarget, writeFileAtomically } from '../../output-file.ts'
import { countAchievements } from './access.ts'
import { parseViewOptions, type ViewOptions } from './view-options.ts'

export interface ExportOptions extends ViewOptions {
  readonly format?: string
  readonly state?: string
  readonly out?: string
  readonly force?: boolean
}

type ItemState = AchievementItem['state']
const STATES: readonly ItemState[] = ['unlocked', 'discovered', 'secret']

/** Writes achievements to a file, or to stdout without one. */
export async function exportAll(context: Context, options: ExportOptions): Promise<void> {
  const { output } = context
  const { out } = options
  const state = options.state === undefined ? undefined : parseChoice(options.state, STATES, 'state')
  const format = chooseFormat(options.format, out)
  if (format === 'svg' && state !== undefined)
    throw new CommandFailure('The card always shows all achievements, so --state cannot filter it', {
      code: 'usage',
      next: 'Remove --state, or use --format markdown or json.',
      exit: EXIT.usage,
    })
  const wanted = parseViewOptions(options)
  const target = out === undefined || out === '-' ? null : await resolveTarget(context, out, options)
  const counted = await countAchievements(context, wanted)
  const text = exportAchievements(counted, format, state)
  const bytes = Readable.from([Buffer.from(text)])
  if (!target && output.json && format !== 'json') return output.answer([], { ok: true, format, text })
  if (!target) return pipeline(bytes, process.stdout, { end: false })
  await writeFileAtomically(target, bytes)
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

/** Uses the requested format, or derives it from the file name. */
function chooseFormat(formatOption: string | undefined, out: string | undefined): AchievementsFormat {
  if (formatOption !== undefined)
    return parseChoice(formatOption === 'md' ? 'markdown' : formatOption, ACHIEVEMENTS_FORMATS, 'format')
  const ending = extname(out ?? '')
  const format = ENDINGS[ending.toLowerCase()]
  if (format !== undefined) return format
  throw new CommandFailure(`Cannot export achievements as ${ending}`, {
    code: 'usage',
    next: 'Use a file name that ends with .json, .md or .svg, or choose a --format.',
    exit: EXIT.usage,
  })
}

function parseChoice<T extends string>(value: string, choices: readonly T[], what: string): T {
  const found = choices.find((one) => one === value)
  if (found !== undefined) return found
  const next = `Choose one of: ${choices.join(', ')}`
  throw new CommandFailure(`Unknown ${what}: ${value}`, { code: 'usage', next, exit: EXIT.usage })
}
