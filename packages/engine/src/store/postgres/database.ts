import { parseServers } from '@panoptes/schema'
import { type Client, Pool, type PoolClient, type PoolConfig, types } from 'pg'
import { OwnClient } from './primary-client.ts'

export type Row = Readonly<Record<string, unknown>>
export type Value = string | number | bigint | boolean | null | Uint8Array | readonly unknown[]

/** Runs statements on one connection. */
export interface Connection {
  readonly rows: (sql: string, values?: readonly Value[]) => Promise<readonly Row[]>
  readonly row: (sql: string, values?: readonly Value[]) => Promise<Row | undefined>
  /** Sends several statements without values in one round trip and returns the rows of each. */
  readonly all: (sql: string) => Promise<readonly (readonly Row[])[]>
  /** Returns how many rows the statement changed. */
  readonly run: (sql: string, values?: readonly Value[]) => Promise<number>
  /** Waits for an answer of the server, for at most as long as a query may take. */
  readonly withTimeout: <T>(answer: Promise<T>) => Promise<T>
  readonly client: PoolClient
}

/**
 * The tables of one store in a schema of their own. No statement names the schema, so none can reach another
 * store.
 */
export interface Database {
  readonly schema: string
  /** Runs one statement on any connection. */
  readonly rows: Connection['rows']
  readonly row: Connection['row']
  readonly run: Connection['run']
  /** Commits everything or nothing. */
  readonly transaction: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** Every query inside sees the same snapshot. */
  readonly snapshot: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** Reserves a connection for the work, without a transaction. */
  readonly withConnection: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  /** Does the same for work whose queries may take as long as they need. */
  readonly withoutTimeout: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>
  readonly pool: () => { readonly open: number; readonly idle: number; readonly waiting: number }
  readonly close: () => Promise<void>
}

const INT8 = 20
/** Whole numbers in these tables are counts and milliseconds, all of which a number holds exactly. */
const asNumbers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary'
      ? Number
      : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser,
}

const CONNECT_MS = 10_000
/**
 * A process that stalls in the middle of an append would block all others. After this time the server rolls
 * its append back.
 */
const STILL_MS = 20_000
/** A host that vanished never answers. This is longer than a stalled process can block the others. */
const SILENT_MS = 25_000
/** Makes the server give up on an answer just before the client stops waiting for it. */
const ANSWER_MS = 24_000
/** After this much silence the connection is probed for a sign of life, once per second. */
export const KEEP_ALIVE_MS = 10_000

/** Makes the server notice soon that a client computer vanished, and release what it held. */
export const NOTICED = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3'

interface DatabaseOptions extends PoolConfig {
  /** Lets every query take as long as it needs. */
  readonly patient?: boolean | undefined
  /** Pools whose connections are dropped together share this. */
  readonly silences?: Silences | undefined
}

/**
 * Counts how often a connection fell silent or turned out to lead to a server that no longer accepts writes.
 */
export interface Silences {
  count: number
}

/** `url` begins with `postgres://`. Connections are opened when they are needed. */
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
    // JIT is off because compiling a statement takes longer than running any of these, and the server
    // compiles when it overestimates the cost.
    options: `-c search_path=${schema} -c jit=off -c idle_in_transaction_session_timeout=${STILL_MS} -c statement_timeout=${patient ? 0 : ANSWER_MS} ${NOTICED}`,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'panoptes',
    ...options,
  })
  // A connection that breaks while it is idle is replaced on the next request.
  pool.on('error', () => undefined)
  // When one connection fell silent, the others opened with it are most likely dead too, and each would be
  // waited for.
  const since = new WeakMap<PoolClient, number>()
  pool.on('connect', (client) => since.set(client, silences.count))
  const others = parseServers(url).length - 1
  /** Tries every server once. */
  const connect = async (left = others): Promise<PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      if (left === 0) throw error
      return connect(left - 1)
    }
  }
  const connectAlive = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await connect()
      if (since.get(client) === silences.count) return client
      client.release(true)
    }
  }
  const useClient = async <T>(
    isPatient: boolean,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    const client = await connectAlive()
    let broken = false
    const markBroken = () => {
      broken = true
    }
    const markLost = () => {
      broken = true
      silences.count += 1
    }
    client.on('error', markBroken)
    try {
      const connection = createConnection(client, isPatient ? undefined : markLost)
      if (isPatient && !patient) await connection.run('SET statement_timeout = 0')
      return await work(connection)
    } catch (error) {
      // Another server has taken over, or this one soon will; connecting anew finds either.
      if (isReadOnly(error)) markLost()
      throw error
    } finally {
      if (isPatient && !patient && !broken) await client.query('RESET statement_timeout').catch(markBroken)
      client.off('error', markBroken)
      client.release(broken)
    }
  }
  const withConnection: Database['withConnection'] = (work) => useClient(patient, work)
  return {
    schema,
    rows: (sql, values) => withConnection((one) => one.rows(sql, values)),
    row: (sql, values) => withConnection((one) => one.row(sql, values)),
    run: (sql, values) => withConnection((one) => one.run(sql, values)),
    transaction: (work) => withConnection((one) => runTransaction(one, 'BEGIN', () => work(one))),
    snapshot: (work) =>
      withConnection((one) => runTransaction(one, `${SNAPSHOT} READ ONLY`, () => work(one))),
    withConnection,
    withoutTimeout: (work) => useClient(true, work),
    pool: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

/** Sums up the pools of one process. */
export function poolUse(databases: readonly Database[]): ReturnType<Database['pool']> {
  const pools = databases.map(({ pool }) => pool())
  const sum = (of: 'open' | 'idle' | 'waiting') => pools.reduce((all, pool) => all + pool[of], 0)
  return { open: sum('open'), idle: sum('idle'), waiting: sum('waiting') }
}

const READ_ONLY = '25006'
const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === READ_ONLY

/** This is true when the server is a standby or is configured to accept no writes. */
export const READS_ONLY = `current_setting('transaction_read_only') = 'on'`

/** Throws when the server does not answer or accepts no writes. */
export const expectWritable = (database: Database): Promise<void> =>
  database.withConnection(async ({ row }) => {
    const found = await row(`SELECT ${READS_ONLY} AS reads_only`)
    if (found?.reads_only === true)
      throw Object.assign(new Error('the server takes no writes'), { code: READ_ONLY })
  })

/** Every query of such a transaction sees the same snapshot. */
export const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ'

/** Runs work in a transaction on a connection, which commits everything or nothing. */
export async function runTransaction<T>(
  connection: Connection,
  begin: string,
  work: () => Promise<T>,
): Promise<T> {
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

/** PostgreSQL cannot store NUL in text, and no name may contain one. Bodies of events keep what was given. */
export const withoutNul = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text

const storable = (value: Value): unknown => {
  if (typeof value === 'string') return withoutNul(value)
  if (!Array.isArray(value)) return value
  return value.map((each: unknown) => (typeof each === 'string' ? withoutNul(each) : each))
}

/**
 * `silent` is called when the server did not answer in time. The connection is then closed, and pending
 * queries fail.
 */
function createConnection(client: PoolClient, silent: (() => void) | undefined): Connection {
  const withTimeout = async <T>(answer: Promise<T>): Promise<T> => {
    if (silent === undefined) return answer
    const timer = setTimeout(() => {
      silent()
      // A pool returns a client at runtime. While a query is under way, its end waits for nobody.
      void (client as unknown as Client).end().catch(() => undefined)
    }, SILENT_MS)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
    }
  }
  const ask = (sql: string, values: readonly Value[] = []) =>
    withTimeout(client.query(sql, values.map(storable) as unknown[]))
  return {
    client,
    withTimeout,
    rows: async (sql, values) => (await ask(sql, values)).rows as Row[],
    row: async (sql, values) => (await ask(sql, values)).rows[0] as Row | undefined,
    all: async (sql) => {
      // The driver's types only know queries with a single result.
      const answers: unknown = await withTimeout(client.query(sql))
      return (answers as readonly { readonly rows: readonly Row[] }[]).map(({ rows }) => rows)
    },
    run: async (sql, values) => (await ask(sql, values)).rowCount ?? 0,
  }
}
