export type Value = string | number | readonly (string | number)[]
export type Row = Readonly<Record<string, unknown>>

/** A condition, or a whole question, with the values it asks for: each `?` stands for the next one. */
export interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

/**
 * What is worked out from answers of a database, question by question. Whoever has the database goes through it: at once, or waiting for
 * every answer.
 */
export type Asking<T> = Generator<Where, T, readonly Row[]>

export function* rowsOf(sql: string, values: readonly Value[] = []): Asking<readonly Row[]> {
  return yield { sql, values }
}

export function* rowOf(sql: string, values: readonly Value[] = []): Asking<Row | undefined> {
  return (yield* rowsOf(sql, values))[0]
}
