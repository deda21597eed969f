import { readFileSync } from 'node:fs'
import { failure, type Result, success } from '@panoptes/schema'
import { type ProviderDataPayload, REMOTE_DATA_JSON_URL, updatePrices } from '@pydantic/genai-prices'
import { z } from 'zod'

/** What a newer catalogue must have to be taken; its finer parts are checked by who reads it. */
const catalogue = z
  .array(z.looseObject({ id: z.string(), models: z.array(z.looseObject({ id: z.string() })) }))
  .min(1)

/** Uses a catalogue that was fetched before instead of the one that comes with the program; says whether it could be. */
export function readCatalogue(file: string): boolean {
  try {
    return used(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}

function used(text: string): boolean {
  const read = catalogue.safeParse(JSON.parse(text))
  if (!read.success) return false
  updatePrices(({ setProviderData }) => setProviderData(read.data as unknown as ProviderDataPayload))
  return true
}

const PATIENCE_MS = 30_000
const MOST = 67_108_864

/** The newest catalogue from the network, or from another address; only ever asked for by a person. */
export async function fetchCatalogue(address: string = REMOTE_DATA_JSON_URL): Promise<Result<string>> {
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (!reply.ok) return failure('io', `${address} answered ${reply.status}. Try again later.`)
    const text = await reply.text()
    if (text.length <= MOST && used(text)) return success(text)
    return failure('invalid', `What ${address} gave is no list of prices. Install the newest Panoptes.`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure('io', `The prices could not be fetched: ${reason}. The ones that are there stay in use.`)
  }
}
