import { parseServers } from '@panoptes/schema'
import { Client, type ClientConfig } from 'pg'

type ConnectCallback = (error: Error | null, client: Client) => void

const CANNOT_CONNECT_NOW = '57P03'
const STANDBY = Object.assign(new Error('no server takes writes'), { code: CANNOT_CONNECT_NOW })

/** Remembers, for each address, which of its servers last accepted writes. */
const turns = new Map<string, number>()

/**
 * Connects to the server of the address that accepts writes. A server that is unreachable or a standby is
 * tried again only after the others. A failed connection is closed at once, because the driver would keep it
 * until the server ends it, which takes a minute.
 */
export class OwnClient extends Client {
  readonly #address: string
  readonly #turn: number
  readonly #servers: number
  #isStandby = false

  constructor(config: ClientConfig = {}) {
    const address = config.connectionString ?? ''
    const servers = parseServers(address)
    const turn = turns.get(address) ?? 0
    super({ ...config, connectionString: servers[turn] ?? servers[0] })
    this.#address = address
    this.#turn = turn
    this.#servers = servers.length
    // The server may end the connection before the caller receives it; without a listener that would end the
    // process.
    this.on('error', () => undefined)
    if (servers.length > 1)
      wireConnection(this).on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on'
      })
  }

  override connect(): Promise<Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<Client> | undefined {
    const made = super.connect().then(
      () => {
        if (this.#isStandby) throw this.#failed(STANDBY)
        return this
      },
      (error: unknown) => {
        throw this.#failed(error as Error)
      },
    )
    if (callback === undefined) return made
    made.then(
      () => callback(null, this),
      (error: Error) => callback(error, this),
    )
    return undefined
  }

  #failed(error: Error): Error {
    wireConnection(this).stream.destroy()
    // Several connections that fail together move on by only one server.
    if ((turns.get(this.#address) ?? 0) === this.#turn)
      turns.set(this.#address, (this.#turn + 1) % this.#servers)
    return error
  }
}

interface Wire {
  readonly on: (
    event: 'parameterStatus',
    hear: (parameter: { readonly parameterName: string; readonly parameterValue: string }) => void,
  ) => void
  readonly stream: { readonly destroy: () => void }
}

const wireConnection = (client: Client): Wire =>
  (client as unknown as { readonly connection: Wire }).connection
