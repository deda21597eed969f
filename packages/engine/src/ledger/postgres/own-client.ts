import { Client } from 'pg'

type Told = ((error: Error) => void) | ((error: null, client: Client) => void)

/** Lets go of a connection that could not be made: the driver keeps it until the server ends it, which takes a minute. */
export class OwnClient extends Client {
  override connect(): Promise<Client>
  override connect(callback: Told): void
  override connect(callback?: Told): Promise<Client> | undefined {
    const tell = callback as ((error: Error | null, client: Client) => void) | undefined
    if (tell === undefined)
      return super.connect().catch((error: unknown) => {
        this.#drop()
        throw error
      })
    super.connect((error: Error | null) => {
      if (error) this.#drop()
      tell(error, this)
    })
    return undefined
  }

  #drop(): void {
    this.on('error', () => undefined)
    const { connection } = this as unknown as { connection: { stream: { destroy: () => void } } }
    connection.stream.destroy()
  }
}
