import { addSpaceParam, hasSpaceChanged } from '../api/space.ts'
import { useStore } from '../store.ts'
import type { Socket } from './socket.ts'
import { openTail } from './tail.ts'

/** A hidden tab draws no frames, so events are published at this interval instead. */
const HIDDEN_MS = 1_000

/** The only live connection of this page. */
export const pageTail = openTail({
  open: (since) => {
    const address = new URL('/stream', location.href)
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
    address.searchParams.set('batch', '1')
    address.searchParams.set('agents', '1')
    address.searchParams.set('achievements', '1')
    if (since !== null) address.searchParams.set('since', String(since))
    addSpaceParam(address.searchParams)
    return adapt(new WebSocket(address))
  },
  nextFrame: (run) => {
    if (document.hidden) setTimeout(run, HIDDEN_MS)
    else requestAnimationFrame(run)
  },
})

function adapt(socket: WebSocket): Socket {
  const adapted: Socket = { onmessage: null, onclose: null, close: () => socket.close() }
  socket.onmessage = ({ data }) => adapted.onmessage?.({ data })
  socket.onclose = ({ code }) => {
    void hasSpaceChanged()
    adapted.onclose?.({ code })
  }
  return adapted
}

addEventListener('online', pageTail.retry)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) pageTail.retry()
})

/** Whether the page has no connection, which the strip above the page reports. */
export const useIsCutOff = (): boolean => useStore(pageTail.state).lostAt !== null
