import { createLayout, type LayoutSession } from './layout.ts'

interface LayoutRequest {
  readonly id: number
  readonly sessions: readonly LayoutSession[]
  readonly aspect: number
}

const layout = createLayout()
const scope = globalThis as unknown as {
  onmessage: ((event: { readonly data: LayoutRequest }) => void) | null
  postMessage(message: unknown, transfer: readonly Transferable[]): void
}

scope.onmessage = ({ data }) => {
  const placement = layout.place(data.sessions, data.aspect)
  scope.postMessage({ id: data.id, placement }, [placement.points.buffer as ArrayBuffer])
}
