import { readFileSync } from 'node:fs'
import { failure, type Result, success } from '@panoptes/schema'
import {
  type ProviderDataPayload,
  REMOTE_DATA_JSON_URL,
  updatePrices,
  waitForUpdate,
} from '@pydantic/genai-prices'
import { z } from 'zod'

/** What a newer catalogue must have to be taken; its finer parts are checked by who reads it. */
const catalogue = z
  .array(z.looseObject({ id: z.string(), models: z.array(z.looseObject({ id: z.string() })) }))
  .min(1)

/** The one that comes with the program. */
const bundled = await waitForUpdate()

/**
 * From now on this process prices by a catalogue that was fetched before, else by the one that comes with the program;
 * says whether it is the former.
 */
export function readCatalogue(file: string): boolean {
  const fetched = stored(file)
  updatePrices(({ setProviderData }) => setProviderData(fetched ?? bundled))
  return fetched !== undefined
}

function stored(file: string): ProviderDataPayload | undefined {
  try {
    return parsed(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function parsed(text: string): ProviderDataPayload | undefined {
  const read = catalogue.safeParse(JSON.parse(text))
  return read.success ? (read.data as unknown as ProviderDataPayload) : undefined
}

const PATIENCE_MS = 30_000
const MOST = 67_108_864

/** The newest catalogue from the network, or from another address; only ever asked for by a person. */
export async function fetchCatalogue(address: string = REMOTE_DATA_JSON_URL): Promise<Result<string>> {
  try {
    const reply = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (!reply.ok) return failure('io', `${address} answered ${reply.status}. Try again later.`)
    const text = await reply.text()
    if (text.length <= MOST && parsed(text) !== undefined) return success(text)
    return failure('invalid', `What ${address} gave is no list of prices. Install the newest Panoptes.`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return failure('io', `The prices could not be fetched: ${reason}. The ones that are there stay in use.`)
  }
}
