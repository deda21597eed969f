import { renameSync, statSync } from 'node:fs'
import type { Config } from '@panoptes/schema'
import { type Logger, pino } from 'pino'

const LONGEST = 10_000_000
const LOOK_EVERY_MS = 60_000

export interface Log {
  readonly logger: Logger
  readonly close: () => void
}

/** Structured lines in `panoptes.log`; a file over 10 MB becomes `panoptes.log.1`, so that two are the most there are. */
export function openLog(file: string, level: Config['log']['level']): Log {
  rotate(file)
  const destination = pino.destination({ dest: file, append: true, mode: 0o600, sync: false })
  // A full disk must not end the daemon: what cannot be logged is lost.
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
      // Nothing was written yet, or nothing can be.
    }
  }
  // In the background nobody sees what Node prints when it dies.
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

function rotate(file: string): boolean {
  try {
    if (statSync(file).size < LONGEST) return false
    renameSync(file, `${file}.1`)
    return true
  } catch {
    return false
  }
}
