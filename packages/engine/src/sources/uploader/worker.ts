import { workerData } from 'node:worker_threads'
import { ForgottenSessions } from '@panoptes/engine/store'
import { createStopSignal, type Handlers, lowerPriority, Refused, serve } from '@panoptes/engine/worker-rpc'
import { failure } from '@panoptes/schema/result'
import { throughArchive } from '../archived-source.ts'
import { openLocalSources } from '../registry.ts'
import type { CopierCalls, WorkerSetup } from './calls.ts'
import { Copier } from './copier.ts'

lowerPriority()
const setup = workerData as WorkerSetup
const forgotten = new ForgottenSessions(setup.forgotten)
const isForgotten = (source: string, id: string) => forgotten.has(source, id)
const sources = openLocalSources(setup.env, isForgotten)
const copier = new Copier(
  sources.map((source) => throughArchive(source, setup.history)),
  isForgotten,
)

const calls: Handlers<CopierCalls> = {
  look: async (job, source, known, patient) => {
    const stop = createStopSignal(job)
    try {
      return await copier.look(source, known, patient, stop.signal)
    } finally {
      stop.end()
    }
  },
  next: () => copier.next(),
  refused: (_job, source, id) => {
    copier.refused(source, id)
    return null
  },
  missed: (_job, source, id) => copier.missed(source, id),
  forget: (_job, sessions) => {
    for (const session of sessions) forgotten.add(session)
    return null
  },
  close: () => {
    copier.stop()
    return null
  },
}

serve(calls, (error) =>
  error instanceof Refused
    ? error.failure
    : failure(
        'io',
        `The sessions could not be read: ${error instanceof Error ? error.message : error}. Try again.`,
      ),
)
