import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { fileFailure, NotAFile } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'
import { type Logger, pino } from 'pino'
import { toCommandFailure } from '../failure.ts'

const LONGEST = 10_000_000
const LOOK_EVERY_MS = 60_000

export interface Log {
  readonly logger: Logger
  readonly close: () => void
}

/**
 * Writes structured lines to `panoptes.log`. A file over 10 MB becomes `panoptes.log.1`, so that there are at
 * most two files.
 */
export function openLog(file: string, level: Config['log']['level']): Log {
  refusePipe(file)
  rotate(file)
  if (!canAppend(file)) return { logger: pino({ enabled: false }), close: () => undefined }
  const destination = pino.destination({ dest: file, append: true, mode: 0o600, sync: false })
  // A full disk must not end the daemon, so lines that cannot be written are lost.
  destination.on('error', () => undefined)
  const timer = setInterval(() => {
    if (rotate(file)) destination.reopen()
  }, LOOK_EVERY_MS)
  timer.unref()
  const logger = pino({ level }, destination)
  const flush = (): void => {
    try {
      destination.flushSync()
    } catch {
      // The stream fails if nothing was written yet or the file is not writable, and there is nothing to
      // flush then.
    }
  }
  // A daemon in the background has no terminal, so crashes go to the log.
  const onCrash = (error: Error): void => {
    logger.fatal({ err: error }, 'crashed')
    flush()
  }
  process.on('uncaughtExceptionMonitor', onCrash)
  return {
    logger,
    close: () => {
      clearInterval(timer)
      process.off('uncaughtExceptionMonitor', onCrash)
      flush()
      destination.end()
    },
  }
}

/**
 * Checks that the file is writable. In a read-only home, the log stream would throw at exit and hide the real
 * error.
 */
function canAppend(file: string): boolean {
  try {
    closeSync(openSync(file, 'a', 0o600))
    return true
  } catch {
    return false
  }
}

/** Rejects a pipe, because opening one for writing blocks until somebody reads it. */
function refusePipe(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || found.isFile()) return
  throw toCommandFailure(fileFailure(new NotAFile(file, found), file, 'write'))
}

function rotate(file: string): boolean {
  try {
    if (statSync(file).size < LONGEST) return false
    renameSync(file, `${file}.1`)
    return true
  } catch {
    return false
  }
}
