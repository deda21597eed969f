export type Value = string | number | readonly (string | number)[]
export type Row = Readonly<Record<string, unknown>>

/** A condition or a whole query with its values. Each `?` stands for the next value. */
export interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

/**
 * A computation that yields queries and receives their rows. The database's driver runs it, either
 * synchronously or by awaiting every answer.
 */
export type Asking<T> = Generator<Where, T, readonly Row[]>

export function* queryRows(sql: string, values: readonly Value[] = []): Asking<readonly Row[]> {
  return yield { sql, values }
}

export function* queryRow(sql: string, values: readonly Value[] = []): Asking<Row | undefined> {
  return (yield* queryRows(sql, values))[0]
}
