import { setTimeout as sleep } from 'node:timers/promises'
import { findDaemon, isProcess } from '@panoptes/engine/home'
import type { Context } from '../context.ts'
import { connect } from '../daemon/client.ts'
import { CommandFailure } from '../failure.ts'

const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 50

export async function stop(context: Context): Promise<void> {
  const { paths, output } = context
  const client = await connect(paths)
  if (!client) return reportNoDaemon(context)
  await client.request('/api/stop', { method: 'POST' })
  if (!(await waitForExit(client.pid))) throw didNotStop(client.pid)
  output.answer([`Panoptes at ${client.address} has stopped`], { ok: true, stopped: true, pid: client.pid })
}

async function reportNoDaemon({ paths, output }: Context): Promise<void> {
  const daemon = await findDaemon(paths)
  if (daemon.state === 'silent') {
    const { pid, address } = daemon.info
    throw new CommandFailure(`Process ${pid} does not answer at ${address}`, {
      code: 'silent',
      next: `If it is Panoptes and does not recover, end it with: kill ${pid}`,
    })
  }
  if (daemon.state === 'unproven')
    throw new CommandFailure(daemon.message, { code: 'no_token', next: daemon.next })
  output.answer(['Panoptes is not running'], { ok: true, stopped: false })
}

async function waitForExit(pid: number): Promise<boolean> {
  const limit = performance.now() + STOP_TIMEOUT_MS
  while (isProcess(pid)) {
    if (performance.now() > limit) return false
    await sleep(POLL_MS)
  }
  return true
}

const didNotStop = (pid: number): CommandFailure =>
  new CommandFailure(`Panoptes did not stop within ${STOP_TIMEOUT_MS / 1000} s`, {
    code: 'stays',
    next: `Check panoptes.log, or end it with: kill -9 ${pid}`,
  })
