import { extname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { check, type ExportFormat, exportFormat } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { resolveTarget, writeFileAtomically } from '../../output-file.ts'
import { findSession, withSessions } from './access.ts'
import { plain } from './format.ts'

export interface ExportOptions {
  readonly format?: string
  readonly force?: boolean
}

/** Writes a session to a file, or to stdout without one. */
export async function exportSession(
  context: Context,
  id: string,
  file: string | undefined,
  options: ExportOptions,
): Promise<void> {
  const target = file === undefined || file === '-' ? null : await resolveTarget(context, file, options)
  if (!target && context.output.json) throw needsFile()
  const format = chooseFormat(options.format, target)
  const session = await withSessions(context, async (sessions) => {
    const found = await findSession(sessions, id)
    await sessions.export(found, format, (bytes) =>
      target ? writeFileAtomically(target, bytes) : pipeline(bytes, process.stdout, { end: false }),
    )
    return found
  })
  if (!target) return
  context.output.answer([`${plain(session.id, 100)} in ${target}`, 'Recognized secrets are removed.'], {
    ok: true,
    path: target,
    format,
    source: session.source,
    id: session.id,
  })
}

const ENDINGS: Readonly<Record<string, ExportFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
}

function chooseFormat(formatOption: string | undefined, target: string | null): ExportFormat {
  if (formatOption === undefined) return ENDINGS[extname(target ?? '').toLowerCase()] ?? 'jsonl'
  const checked = check(exportFormat, formatOption === 'md' ? 'markdown' : formatOption)
  if (checked.ok) return checked.value
  const next = `Choose one of: ${exportFormat.options.join(', ')}`
  throw new CommandFailure(`Unknown format: ${formatOption}`, { code: 'usage', next, exit: EXIT.usage })
}

const needsFile = (): CommandFailure =>
  new CommandFailure('With --json the session needs an output file', {
    code: 'usage',
    next: 'For example: panoptes sessions export ID session.jsonl --json',
    exit: EXIT.usage,
  })
