import { type Connection, type Value, withoutNul } from '../database.ts'

/** The limit counts characters. */
const MOST_HELD = 16_000_000

export type Writes = Pick<Together, 'run'>

/** Sends statements to the server in order without awaiting each of them. */
export class Together {
  readonly #connection: Connection
  #statements: string[] = []
  #size = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  readonly run = async (sql: string, values: readonly Value[]): Promise<void> => {
    const written = sql.replaceAll(PLACE, (_, n: string) => this.#written(values[Number(n) - 1]))
    this.#statements.push(written)
    this.#size += written.length
    if (this.#size >= MOST_HELD) await this.send()
  }

  async send(): Promise<void> {
    const statements = this.#statements
    this.#statements = []
    this.#size = 0
    if (statements.length > 0) await this.#connection.run(statements.join(';\n'))
  }

  #written(value: Value | undefined): string {
    if (!Array.isArray(value)) throw new Error('a statement that goes with others takes lists')
    return this.#connection.client.escapeLiteral(`{${value.map(formatElement).join(',')}}`)
  }
}

const PLACE = /\$(\d+)/g

const formatElement = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL'
  return typeof value === 'string' ? `"${withoutNul(value).replaceAll(/["\\]/g, '\\$&')}"` : String(value)
}
