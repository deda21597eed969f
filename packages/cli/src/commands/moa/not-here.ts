import type { PresetsReply } from '@panoptes/schema'

type Provider = PresetsReply['providers'][number]

const WAIT_MS = 500

/** The providers of this computer that nobody named and that do not answer: they are known, but not there. */
export async function notHere(providers: readonly Provider[]): Promise<ReadonlySet<string>> {
  const local = providers.filter(({ from }) => from === 'local')
  const answers = await Promise.all(local.map(({ base_url }) => isThere(base_url)))
  return new Set(local.filter((_one, at) => !answers[at]).map(({ name }) => name))
}

const isThere = async (address: string | null): Promise<boolean> =>
  address !== null &&
  fetch(`${address}/models`, { signal: AbortSignal.timeout(WAIT_MS) }).then(
    async ({ body }) => {
      await body?.cancel()
      return true
    },
    () => false,
  )
