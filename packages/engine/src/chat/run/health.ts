import type { RuntimeAdapter } from '../runtimes/port.ts'

type Health = Awaited<ReturnType<RuntimeAdapter['health']>>

const MOST_MS = 5_000

const createUnreachable = (detail: string): Health => ({
  state: 'unreachable',
  detail,
  models: [],
  transport: null,
})

/** A runtime that does not report its health in time counts as absent. */
export async function checkHealth(adapter: RuntimeAdapter, signal?: AbortSignal): Promise<Health> {
  const late = Promise.withResolvers<Health>()
  const clock = setTimeout(() => late.resolve(createUnreachable('It did not answer in time.')), MOST_MS)
  try {
    return await Promise.race([adapter.health(signal), late.promise])
  } catch (error) {
    return createUnreachable(error instanceof Error ? error.message : 'It could not be reached.')
  } finally {
    clearTimeout(clock)
  }
}
