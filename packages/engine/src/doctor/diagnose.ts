import type { HealthCheck } from '@panoptes/schema'
import { browserCheck, pageCheck, sourcesCheck } from './around.ts'
import { type Check, type Finding, failed, type Patient, warning } from './check.ts'
import { clockCheck } from './clock.ts'
import { configCheck } from './config.ts'
import { daemonCheck, portCheck } from './daemon.ts'
import { environmentCheck } from './environment.ts'
import { diskCheck, homeCheck, tokensCheck } from './files.ts'
import { hooksCheck } from './hooks.ts'
import { ledgerCheck, lockCheck } from './ledger.ts'
import { nodeCheck, npmCheck, platformCheck } from './runtime.ts'
import { watchCheck } from './watch.ts'

const CHECKS: readonly Check[] = [
  nodeCheck,
  npmCheck,
  platformCheck,
  homeCheck,
  diskCheck,
  configCheck,
  lockCheck,
  ledgerCheck,
  tokensCheck,
  portCheck,
  daemonCheck,
  clockCheck,
  watchCheck,
  pageCheck,
  browserCheck,
  sourcesCheck,
  hooksCheck,
  environmentCheck,
]

const PATIENCE_MS = 60_000

/** Everything a support thread would ask for. Never throws; no check can hold up the others for ever. */
export function diagnose(whole: Patient): Promise<readonly HealthCheck[]> {
  let looked: ReturnType<Patient['sources']> | undefined
  const patient: Patient = {
    ...whole,
    sources: () => {
      looked ??= whole.sources()
      return looked
    },
  }
  const started = new Map<Check, Promise<HealthCheck>>()
  for (const check of CHECKS)
    started.set(check, examine(check, patient, check.after && started.get(check.after)))
  return Promise.all(started.values())
}

async function examine(check: Check, patient: Patient, before?: Promise<unknown>): Promise<HealthCheck> {
  await before
  const finding = await Promise.race([attempt(check, patient), patience()])
  return { id: check.id, title: check.title, ...finding }
}

async function attempt(check: Check, patient: Patient): Promise<Finding> {
  try {
    return await check.run(patient)
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return failed('The check itself failed', cause, 'Report this: it is a mistake in Panoptes.')
  }
}

function patience(): Promise<Finding> {
  const slow = warning(
    `No answer within ${PATIENCE_MS / 1000} s`,
    'The disk or the computer is very slow',
    'Try again when it is less busy.',
  )
  return new Promise((resolve) => {
    setTimeout(() => resolve(slow), PATIENCE_MS).unref()
  })
}
