import { readRegularSync } from '@panoptes/engine/home'
import { failure, type Result, success } from '@panoptes/schema'
import {
  type ProviderDataPayload,
  REMOTE_DATA_JSON_URL,
  updatePrices,
  waitForUpdate,
} from '@pydantic/genai-prices'
import { z } from 'zod'

/** The minimum a newer catalogue must contain; its details are validated by the price library. */
const catalogue = z
  .array(z.looseObject({ id: z.string(), models: z.array(z.looseObject({ id: z.string() })) }))
  .min(1)

/** The catalogue bundled with the program. */
const bundled = await waitForUpdate()

/**
 * Uses a previously downloaded catalogue in this process, otherwise the bundled one. Returns true
 * for a downloaded one.
 */
export function readCatalogue(file: string): boolean {
  const fetched = readStored(file)
  updatePrices(({ setProviderData }) => setProviderData(fetched ?? bundled))
  return fetched !== undefined
}

function readStored(file: string): ProviderDataPayload | undefined {
  try {
    return parseData(readRegularSync(file))
  } catch {
    return undefined
  }
}

function parseData(text: string): ProviderDataPayload | undefined {
  const read = catalogue.safeParse(JSON.parse(text))
  return read.success ? (read.data as unknown as ProviderDataPayload) : undefined
}

const TIMEOUT_MS = 30_000
const MOST = 67_108_864

/**
 * Downloads the newest catalogue from the network or another address, only at the user's request.
 */
export async function fetchCatalogue(address: string = REMOTE_DATA_JSON_URL): Promise<Result<string>> {
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (!reply.ok) return failure('io', `${address} answered ${reply.status}. Try again later.`)
    const text = await reply.text()
    if (text.length <= MOST && parseData(text) !== undefined) return success(text)
    return failure('invalid', `${address} did not return a price list. Install the newest Panoptes.`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure('io', `The prices could not be downloaded: ${reason}. The current prices stay in use.`)
  }
}
