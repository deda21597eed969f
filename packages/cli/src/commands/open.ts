import type { Context } from '../context.ts'
import { connect, notRunning } from '../daemon/client.ts'
import { freshLink, showLink } from '../daemon/link.ts'

export async function open(context: Context, options: { readonly open: boolean }): Promise<void> {
  const client = await connect(context.paths)
  if (!client) throw notRunning()
  const link = await freshLink(client)
  const opened = await showLink(context, link, options.open)
  const message = opened ? 'Opened in your browser:' : 'Sign-in link, valid once within ten minutes:'
  context.output.answer([message, `  ${link}`], { ok: true, address: client.address, link, opened })
}
