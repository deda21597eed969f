import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { check, type ExportFormat, exportFormat } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { targetOf } from '../../target.ts'
import { writeWhole } from '../../write-whole.ts'
import { findSession, withSessions } from './access.ts'
import { plain } from './words.ts'

export interface ExportOptions {
  readonly format?: string
  readonly force?: boolean
}

/** Writes a session into a file, or to the standard output without one. */
export async function exportSession(
  context: Context,
  id: string,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const target = file === undefined || file === '-' ? null : await targetOf(context, file, options)
  if (!target && context.output.json) throw needsFile()
  const format = formatOf(options.format, target)
  const session = await withSessions(context, async (sessions) => {
    const found = await findSession(sessions, id)
    await sessions.export(found, format, (bytes) =>
      target ? writeWhole(target, bytes) : pipeline(bytes, process.stdout, { end: false }),
    )
    return found
  })
  if (!target) return
  context.output.answer(
    [`${plain(session.id, 100)} in ${target}`, 'Secrets that are known by their shape are taken out.'],
    {
      ok: true,
      path: target,
      format,
      source: session.source,
      id: session.id,
    },
  )
}

const ENDINGS: Readonly<Record<string, ExportFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
}

function formatOf(asked: string | undefined, target: string | null): ExportFormat {
  if (asked === undefined) return ENDINGS[extname(target ?? '').toLowerCase()] ?? 'jsonl'
  const checked = check(exportFormat, asked === 'md' ? 'markdown' : asked)
  if (checked.ok) return checked.value
  const next = `There are: ${exportFormat.options.join(', ')}`
  throw new CommandFailure(`There is no format ${asked}`, { code: 'usage', next, exit: EXIT.usage })
}

const needsFile = (): CommandFailure =>
  new CommandFailure('With --json the session needs a file to go to', {
    code: 'usage',
    next: 'Name one: panoptes sessions export ID session.jsonl --json',
    exit: EXIT.usage,
  })
