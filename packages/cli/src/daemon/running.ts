import { createHome } from '@panoptes/engine/home'
import type { Context } from '../context.ts'
import { orFail } from '../failure.ts'
import { preparePage } from '../page/index.ts'
import { type Client, connect, notRunning } from './client.ts'
import { startDetached } from './detach.ts'

/**
 * Connects to the daemon of this home and starts it if necessary, because the requested work must continue
 * after the terminal closes.
 */
export async function running(context: Context): Promise<Client> {
  const { paths, env, output } = context
  const there = await connect(paths)
  if (there) return there
  if (env.KEI_GRAPH_STREAM_BYPASS === '1') throw notRunning()
  orFail(await createHome(paths))
  await preparePage(output.note)
  const { address, already_running } = await startDetached(context, {})
  if (!already_running)
    output.note(`Panoptes is running in the background at ${address}. Stop it with: panoptes stop`)
  const started = await connect(paths)
  if (!started) throw notRunning()
  return started
}
