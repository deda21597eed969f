import { createLayout, type LayoutSession, type Placement } from './layout.ts'

export interface LayoutRunner {
  /** Only the newest request is answered. */
  readonly place: (
    sessions: readonly LayoutSession[],
    aspect: number,
    done: (placement: Placement) => void,
  ) => void
  readonly stop: () => void
}

/** Computes the layout on the same thread, for pages without a worker. */
export function runHere(): LayoutRunner {
  const layout = createLayout()
  return {
    place: (sessions, aspect, done) => done(layout.place(sessions, aspect)),
    stop: () => undefined,
  }
}
