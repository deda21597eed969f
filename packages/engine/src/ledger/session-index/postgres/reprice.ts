import type { Connection } from '../../postgres/database.ts'

/** The models whose prices are not the ones that their sessions were read under, and what they are now. */
export async function otherPrices(
  { rows }: Pick<Connection, 'rows'>,
  markOf: (model: string) => string,
): Promise<readonly (readonly [model: string, mark: string])[]> {
  const found = await rows(
    `SELECT m.model, p.mark FROM (SELECT DISTINCT model FROM index_models) AS m LEFT JOIN index_prices AS p USING (model)`,
  )
  return found.flatMap(({ model, mark }) => {
    const now = markOf(String(model))
    return now === mark ? [] : [[String(model), now] as const]
  })
}

/** A session that was read under another price is known by no fingerprint: it is shown as it is, and read again. */
export async function reprice(
  { run }: Connection,
  prices: readonly (readonly [model: string, mark: string])[],
): Promise<number> {
  const models = prices.map(([model]) => model)
  const count = await run(
    `UPDATE index_sessions SET fingerprint = '' WHERE fingerprint <> '' AND number IN
       (SELECT session FROM index_models JOIN index_prices USING (model) WHERE model = ANY($1))`,
    [models],
  )
  await run('DELETE FROM index_prices WHERE model = ANY($1)', [models])
  await run('INSERT INTO index_prices SELECT * FROM unnest($1::text[], $2::text[])', [
    models,
    prices.map(([, mark]) => mark),
  ])
  return count
}
