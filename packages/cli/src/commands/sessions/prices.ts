import { readFile } from 'node:fs/promises'
import { createHome, fileFailure, replaceFile } from '@panoptes/engine/home'
import { createPrices, fetchCatalogue, readCatalogue } from '@panoptes/engine/models'
import type { Context } from '../../context.ts'
import { orFail, toCommandFailure } from '../../failure.ts'
import { columns } from '../../terminal/format.ts'
import { loadConfig } from '../config.ts'
import { withSessions } from './access.ts'
import { plain } from './format.ts'

export interface PricesOptions {
  readonly update?: boolean
  readonly from?: string
}

/** Lists the prices of used models, or downloads newer ones. Only `--update` uses the network. */
export async function prices(context: Context, options: PricesOptions): Promise<void> {
  if (options.update) await update(context, options.from)
  const { config } = await loadConfig(context)
  const fetched = readCatalogue(context.paths.prices)
  const { costOfSum } = createPrices(config.prices)
  const used = await withSessions(context, (sessions) => sessions.stats({}, 'model'))
  const models = [...new Set([...used.map(({ name }) => name), ...Object.keys(config.prices)])]
    .filter((name) => name !== '–')
    .map((model) => ({ model, ...modelPrice(model, costOfSum), from: priceSource(model, costOfSum) }))
  function priceSource(model: string, of: typeof costOfSum): 'config' | 'catalogue' | null {
    if (Object.hasOwn(config.prices, model)) return 'config'
    return of(model, MILLION, Date.now()) === null ? null : 'catalogue'
  }
  const rows = models.map(({ model, input, output, from }) => [
    plain(model, 60),
    input === null ? 'unknown' : `$${input} in, $${output} out`,
    from ?? 'set it under prices in config.yaml',
  ])
  context.output.answer(
    [
      'Dollars per million tokens',
      ...columns(rows),
      fetched
        ? 'This price list was downloaded. Update it with: panoptes sessions prices --update'
        : 'This price list came with Panoptes. Download a newer one with: panoptes sessions prices --update',
    ],
    { ok: true, catalogue: fetched ? 'fetched' : 'bundled', models },
  )
}

const MILLION = {
  input: 1_000_000,
  output: 0,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
}

function modelPrice(
  model: string,
  costOfSum: ReturnType<typeof createPrices>['costOfSum'],
): { readonly input: number | null; readonly output: number | null } {
  const dollars = (micro: number | null) => (micro === null ? null : micro / 1_000_000)
  return {
    input: dollars(costOfSum(model, MILLION, Date.now())),
    output: dollars(costOfSum(model, { ...MILLION, input: 0, output: 1_000_000 }, Date.now())),
  }
}

async function update(context: Context, from: string | undefined): Promise<void> {
  const { paths, output } = context
  const text = orFail(await fetchCatalogue(from === undefined ? undefined : await catalogueUrl(from)))
  orFail(await createHome(paths))
  try {
    await replaceFile(paths.prices, text)
  } catch (error) {
    throw toCommandFailure(fileFailure(error, paths.prices, 'write'))
  }
  output.note(`Saved the newest prices in ${paths.prices}. Restart Panoptes to use them.`)
}

/** Accepts a file too, for a price list downloaded on another computer. */
async function catalogueUrl(from: string): Promise<string> {
  if (/^https?:/.test(from)) return from
  try {
    return `data:application/json;base64,${(await readFile(from)).toString('base64')}`
  } catch (error) {
    throw toCommandFailure(fileFailure(error, from, 'read'))
  }
}
