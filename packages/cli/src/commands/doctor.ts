import { discover } from '@panoptes/engine/discover'
import { diagnose } from '@panoptes/engine/doctor'
import { readConfig } from '@panoptes/engine/home'
import type { HealthCheck } from '@panoptes/schema'
import { planBrowser } from '../browser.ts'
import type { Context } from '../context.ts'
import { connect } from '../daemon/client.ts'
import { findHeard } from '../daemon/heard.ts'
import { connectionsOf } from '../daemon/hooks.ts'
import { placeOf } from '../daemon/place.ts'
import { readSavedOnDisk, withSavedSessions } from '../daemon/saved-sessions.ts'
import { EXIT } from '../failure.ts'
import { readPageState } from '../page/index.ts'
import type { Output } from '../terminal/output.ts'
import { VERSION } from '../version.ts'

const LINGER_MS = 2_000

const ASKED_OF_DAEMON: ReadonlySet<string> = new Set(['ledger', 'archive'])

export async function doctor(context: Context): Promise<void> {
  const { paths, env, output } = context
  const read = await readConfig(paths)
  const [own, daemon, ...more] = await Promise.all([
    diagnose({
      paths,
      env,
      version: VERSION,
      // Another check reports errors in the config.
      place: read.ok ? placeOf(context, read.value.config) : undefined,
      store: null,
      sources: async () => {
        const found = await discover({ env, providers: read.ok ? read.value.config.providers : {} })
        const isArchiving = !read.ok || read.value.config.archive.enabled
        const ids = found.map(({ id }) => id)
        return withSavedSessions(env, found, () => readSavedOnDisk(paths.history, isArchiving, ids))
      },
      hooks: async () => connectionsOf(context, await findHeard(context)),
      page: readPageState,
      browser: planBrowser(env),
    }),
    daemonChecks(context),
    traceChecks(context),
    forwardChecks(context),
  ])
  // Only the daemon can query a store that it has locked, and knows what it is reading. Anyone can check
  // whether the files are damaged.
  const checks = [
    ...own.map((check) =>
      ASKED_OF_DAEMON.has(check.id) && check.state !== 'failed' ? (daemon.get(check.id) ?? check) : check,
    ),
    ...[...daemon.values()].filter(({ id }) => !own.some((check) => check.id === id)),
    ...more.flat().filter(({ id }) => !daemon.has(id)),
  ]
  printChecks(output, checks)
  // A check that timed out may still be running, but the answer is already printed.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}

/** Prints all checks and the summary, and sets the exit code. */
export function printChecks(output: Output, checks: readonly HealthCheck[]): void {
  const failed = checks.filter(({ state }) => state === 'failed').length
  const warnings = checks.filter(({ state }) => state === 'warning').length
  output.answer([...checks.flatMap((check) => describe(output, check)), '', summary(failed, warnings)], {
    ok: failed === 0,
    version: VERSION,
    failed,
    warnings,
    checks,
  })
  if (failed > 0) process.exitCode = EXIT.failed
}

/** Checks the trace folder even if Panoptes is not running. Another check reports errors in the config. */
async function traceChecks(context: Context): Promise<readonly HealthCheck[]> {
  const read = await readConfig(context.paths)
  if (!read.ok || !read.value.config.moa.save_traces) return []
  const { config } = read.value
  // Traces in a database are covered by the database check.
  if (placeOf(context, config).kind === 'postgres') return []
  const { traceCheck, tracesOf } = await import('../daemon/moa-checks.ts')
  return [
    await traceCheck({ kept: tracesOf({ ...context, config }, null), maxMb: config.moa.trace_dir_max_mb }),
  ]
}

/** Reports events that wait for forwarding while no Panoptes is running. */
async function forwardChecks(context: Context): Promise<readonly HealthCheck[]> {
  const read = await readConfig(context.paths)
  const to = read.ok ? read.value.config.forward.to : null
  if (!read.ok || to === null) return []
  const { unsentCheck } = await import('../daemon/forward-checks.ts')
  return [unsentCheck(to, placeOf(context, read.value.config).kind === 'postgres')]
}

async function daemonChecks({ paths }: Context): Promise<ReadonlyMap<string, HealthCheck>> {
  try {
    const client = await connect(paths)
    const reply = await client?.json<{ checks: HealthCheck[] }>('/api/health')
    return new Map(reply?.checks.map((check) => [check.id, check]))
  } catch {
    return new Map()
  }
}

const WIDTH = 18

function describe({ paint }: Output, { title, state, detail, cause, next }: HealthCheck): string[] {
  const mark = { ok: paint.green('✓'), warning: paint.gold('!'), failed: paint.red('✕') }[state]
  const under = ' '.repeat(WIDTH + 4)
  const [first = '', ...more] = detail.split('\n')
  const lines = [`${mark} ${title.padEnd(WIDTH)}  ${first}`, ...more.map((line) => `${under}${line}`)]
  if (cause) lines.push(...cause.split('\n').map((line) => `${under}${line}`))
  if (next) lines.push(`${under}${paint.bold(next)}`)
  return lines
}

function summary(failed: number, warnings: number): string {
  if (failed + warnings === 0) return 'Everything is fine.'
  const parts = [
    failed > 0 ? `${failed} failed` : '',
    warnings > 0 ? `${warnings} warning${warnings === 1 ? '' : 's'}` : '',
  ]
  return `${parts.filter((part) => part !== '').join(', ')}.`
}
