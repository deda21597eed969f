import { discover } from '@panoptes/engine/discover'
import { diagnose } from '@panoptes/engine/doctor'
import { readConfig } from '@panoptes/engine/home'
import type { HealthCheck } from '@panoptes/schema'
import { planBrowser } from '../browser.ts'
import type { Context } from '../context.ts'
import { connect } from '../daemon/client.ts'
import { connectionsOf } from '../daemon/hooks.ts'
import { placeOf } from '../daemon/place.ts'
import { EXIT } from '../exit-codes.ts'
import { pageState } from '../page/index.ts'
import type { Output } from '../terminal/output.ts'
import { VERSION } from '../version.ts'

const LINGER_MS = 2_000

export async function doctor(context: Context): Promise<void> {
  const { paths, env, output } = context
  const read = await readConfig(paths)
  const [own, daemon, ...more] = await Promise.all([
    diagnose({
      paths,
      env,
      version: VERSION,
      // A config with mistakes is told of by a check of its own.
      place: read.ok ? placeOf(context, read.value.config) : undefined,
      ledger: null,
      sources: () => discover({ env, providers: read.ok ? read.value.config.providers : {} }),
      hooks: () => connectionsOf(context),
      page: pageState,
      browser: planBrowser(env),
    }),
    daemonChecks(context),
    traceChecks(context),
    forwardChecks(context),
  ])
  // Only the daemon can see into a ledger it holds, and knows what it follows.
  const checks = [
    ...own.map((check) => (check.id === 'ledger' ? (daemon.get('ledger') ?? check) : check)),
    ...[...daemon.values()].filter(({ id }) => !own.some((check) => check.id === id)),
    ...more.flat().filter(({ id }) => !daemon.has(id)),
  ]
  tell(output, checks)
  // A check that was given up may still be at work; the answer is out.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}

/** All of them, what they come to, and the exit code. */
export function tell(output: Output, checks: readonly HealthCheck[]): void {
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

/** Where turns are to be written down, also while nothing runs. A config with mistakes is told of elsewhere. */
async function traceChecks(context: Context): Promise<readonly HealthCheck[]> {
  const read = await readConfig(context.paths)
  if (!read.ok || !read.value.config.moa.save_traces) return []
  const { config } = read.value
  // In a database they are as well or ill as it is.
  if (placeOf(context, config).kind === 'postgres') return []
  const { traceCheck, tracesOf } = await import('../daemon/moa-checks.ts')
  return [
    await traceCheck({ kept: tracesOf({ ...context, config }, null), maxMb: config.moa.trace_dir_max_mb }),
  ]
}

/** Whether something is to be sent that nobody sends. */
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
  const lines = [`${mark} ${title.padEnd(WIDTH)}  ${detail}`]
  if (cause) lines.push(...cause.split('\n').map((line) => `${under}${line}`))
  if (next) lines.push(`${under}${paint.bold(next)}`)
  return lines
}

function summary(failed: number, warnings: number): string {
  if (failed + warnings === 0) return 'All is well.'
  const parts = [failed > 0 ? `${failed} failed` : '', warnings > 0 ? `${warnings} to look at` : '']
  return `${parts.filter((part) => part !== '').join(', ')}.`
}
