import { serversOf } from '@panoptes/schema'
import { Client, type ClientConfig } from 'pg'

type Told = (error: Error | null, client: Client) => void

const CANNOT_CONNECT_NOW = '57P03'
const STANDBY = Object.assign(new Error('no server takes writes'), { code: CANNOT_CONNECT_NOW })

/** Which of the servers of an address took writes when one was last found that does. */
const turns = new Map<string, number>()

/**
 * A connection to whichever server of the address takes writes: one that is not reached, or only follows another, is not tried again
 * before the others were. One that could not be made is let go of: the driver would keep it until the server ends it, which takes a minute.
 */
export class OwnClient extends Client {
  readonly #address: string
  readonly #turn: number
  readonly #servers: number
  #isStandby = false

  constructor(config: ClientConfig = {}) {
    const address = config.connectionString ?? ''
    const servers = serversOf(address)
    const turn = turns.get(address) ?? 0
    super({ ...config, connectionString: servers[turn] ?? servers[0] })
    this.#address = address
    this.#turn = turn
    this.#servers = servers.length
    // The server may end it at once, before whoever asked for it hears of it: nobody listening would end the process.
    this.on('error', () => undefined)
    if (servers.length > 1)
      connectionOf(this).on('parameterStatus', ({ parameterName, parameterValue }) => {
        if (parameterName === 'in_hot_standby') this.#isStandby = parameterValue === 'on'
      })
  }

  override connect(): Promise<Client>
  override connect(callback: Told): void
  override connect(callback?: Told): Promise<Client> | undefined {
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
    connectionOf(this).stream.destroy()
    // Several that fail together move on by one.
    if ((turns.get(this.#address) ?? 0) === this.#turn)
      turns.set(this.#address, (this.#turn + 1) % this.#servers)
    return error
  }
}

interface Wire {
  readonly on: (
    event: 'parameterStatus',
    hear: (told: { readonly parameterName: string; readonly parameterValue: string }) => void,
  ) => void
  readonly stream: { readonly destroy: () => void }
}

const connectionOf = (client: Client): Wire => (client as unknown as { readonly connection: Wire }).connection
