import { serversOf } from '@panoptes/schema'
import { type Client, Pool, type PoolClient, type PoolConfig, types } from 'pg'
import { OwnClient } from './own-client.ts'

export type Row = Readonly<Record<string, unknown>>
export type Value = string | number | bigint | boolean | null | Uint8Array | readonly unknown[]

/** Asks one connection. */
export interface Connection {
  readonly rows: (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>
  readonly row: (sql: string, values?: readonly Value[]) => Promise<Row | undefined>
  /** Several statements in one question, none with values; the rows of each. */
  readonly all: (sql: string) => Promise<readonly (readonly Row[])[]>
  /** How many rows it changed. */
  readonly run: (sql: string, values?: readonly Value[]) => Promise<number>
  /** Waits for what the server owes, as long as a question may take. */
  readonly answered: <T>(answer: Promise<T>) => Promise<T>
  readonly client: PoolClient
}

/** The tables of one ledger, which are a schema of their own: no statement names it, so none can reach another one. */
export interface Database {
  readonly schema: string
  /** One statement on any connection. */
  readonly rows: Connection['rows']
  readonly row: Connection['row']
  readonly run: Connection['run']
  /** All of it is committed, or none. */
  readonly transaction: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** Every question sees the same moment. */
  readonly snapshot: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** A connection for as long as the work takes, with no transaction of its own. */
  readonly connected: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** The same for work whose questions may take as long as they like. */
  readonly patiently: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  readonly pool: () => { readonly open: number; readonly idle: number; readonly waiting: number }
  readonly close: () => Promise<void>
}

const INT8 = 20
/** Whole numbers here are counts and milliseconds: all of them are exact as numbers. */
const asNumbers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? Number
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

const CONNECT_MS = 10_000
/** A process that stands still in the middle of an append would hold up all others; after this its append is undone. */
const STILL_MS = 20_000
/** A host that vanished says nothing, ever. Longer than anybody is held up by a process that stands still. */
const SILENT_MS = 25_000
/** So that the server stops working for an answer just before nobody waits for it any more. */
const ANSWER_MS = 24_000
/** From when on the other side of a silent connection is asked for a sign of life, each second then. */
export const KEEP_ALIVE_MS = 10_000

/** So that the server soon notices a computer that vanished, and frees what it held. */
export const NOTICED = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3'

interface DatabaseOptions extends PoolConfig {
  /** Any question may take as long as it likes. */
  readonly patient?: boolean | undefined
  /** Shared by pools whose connections are given up together. */
  readonly silences?: Silences | undefined
}

/** How often a connection fell silent, or was to a server that takes no writes any more. */
export interface Silences {
  count: number
}

/** `url`: `postgres://…`. Connections are opened when they are needed. */
export function openDatabase(
  url: string,
  schema: string,
  { patient = false, silences = { count: 0 }, ...options }: DatabaseOptions = {},
): Database {
  const pool = new Pool({
    Client: OwnClient,
    connectionString: url,
    max: 8,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: 60_000,
    types: asNumbers,
    // To compile a statement takes the server longer than any of these takes to answer; it does so where it guesses too high.
    options: `-c search_path=${schema} -c jit=off -c idle_in_transaction_session_timeout=${STILL_MS} -c statement_timeout=${patient ? 0 : ANSWER_MS} ${NOTICED}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'panoptes',
    ...options,
  })
  // A connection that breaks while nobody uses it is replaced by the next one who asks.
  pool.on('error', () => undefined)
  // Where one connection fell silent, those that were open with it most likely are dead too, and each would be waited for.
  const since = new WeakMap<PoolClient, number>()
  pool.on('connect', (client) => since.set(client, silences.count))
  const others = serversOf(url).length - 1
  /** Asks every server once. */
  const connect = async (left = others): Promise<PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      if (left === 0) throw error
      return connect(left - 1)
    }
  }
  const living = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await connect()
      if (since.get(client) === silences.count) return client
      client.release(true)
    }
  }
  const using = async <T>(isPatient: boolean, work: (connection: Connection) => Promise<T>): Promise<T> => {
    const client = await living()
    let broken = false
    const gone = () => {
      broken = true
    }
    const lost = () => {
      broken = true
      silences.count += 1
    }
    client.on('error', gone)
    try {
      const connection = connectionOf(client, isPatient ? undefined : lost)
      if (isPatient && !patient) await connection.run('SET statement_timeout = 0')
      return await work(connection)
    } catch (error) {
      // Another server has taken over, or this one will be it soon: either is found by connecting anew.
      if (isReadOnly(error)) lost()
      throw error
    } finally {
      if (isPatient && !patient && !broken) await client.query('RESET statement_timeout').catch(gone)
      client.off('error', gone)
      client.release(broken)
    }
  }
  const connected: Database['connected'] = (work) => using(patient, work)
  return {
    schema,
    rows: (sql, values) => connected((one) => one.rows(sql, values)),
    row: (sql, values) => connected((one) => one.row(sql, values)),
    run: (sql, values) => connected((one) => one.run(sql, values)),
    transaction: (work) => connected((one) => within(one, 'BEGIN', () => work(one))),
    snapshot: (work) => connected((one) => within(one, `${SNAPSHOT} READ ONLY`, () => work(one))),
    connected,
    patiently: (work) => using(true, work),
    pool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

/** Several of one process together. */
export function poolOf(databases: readonly Database[]): ReturnType<Database['pool']> {
  const pools = databases.map(({ pool }) => pool())
  const sum = (of: 'open' | 'idle' | 'waiting') => pools.reduce((all, pool) => all + pool[of], 0)
  return { open: sum('open'), idle: sum('idle'), waiting: sum('waiting') }
}

const READ_ONLY = '25006'
const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === READ_ONLY

/** True where the server only follows another, or is set to take no writes. */
export const READS_ONLY = `current_setting('transaction_read_only') = 'on'`

/** Throws where the server does not answer or takes no writes. */
export const expectWritable = (database: Database): Promise<void> =>
  database.connected(async ({ row }) => {
    const found = await row(`SELECT ${READS_ONLY} AS reads_only`)
    if (found?.reads_only === true)
      throw Object.assign(new Error('the server takes no writes'), { code: READ_ONLY })
  })

/** Every question of such a transaction sees the same moment. */
export const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ'

/** A transaction on a connection: all of it is committed, or none. */
export async function within<T>(connection: Connection, begin: string, work: () => Promise<T>): Promise<T> {
  await connection.run(begin)
  try {
    const done = await work()
    await connection.run('COMMIT')
    return done
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** PostgreSQL has no NUL in its texts, and no name may hold one; what is given is passed on as it is in the bodies of events. */
export const withoutNul = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text

const storable = (value: Value): unknown => {
  if (typeof value === 'string') return withoutNul(value)
  if (!Array.isArray(value)) return value
  return value.map((each: unknown) => (typeof each === 'string' ? withoutNul(each) : each))
}

/** `silent` hears that the server owed an answer for too long: the connection is ended, and whoever waits is told so. */
function connectionOf(client: PoolClient, silent: (() => void) | undefined): Connection {
  const answered = async <T>(answer: Promise<T>): Promise<T> => {
    if (silent === undefined) return answer
    const timer = setTimeout(() => {
      silent()
      // What a pool gives is a client; with a question under way its end waits for nobody.
      void (client as unknown as Client).end().catch(() => undefined)
    }, SILENT_MS)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }
  const ask = (sql: string, values: readonly Value[] = []) =>
    answered(client.query(sql, values.map(storable) as unknown[]))
  return {
    client,
    answered,
    rows: async (sql, values) => (await ask(sql, values)).rows as Row[],
    row: async (sql, values) => (await ask(sql, values)).rows[0] as Row | undefined,
    all: async (sql) => {
      // The driver's types know of one answer to a question only.
      const answers: unknown = await answered(client.query(sql))
      return (answers as readonly { readonly rows: readonly Row[] }[]).map(({ rows }) => rows)
    },
    run: async (sql, values) => (await ask(sql, values)).rowCount ?? 0,
  }
}
