/** Tests that may be skipped with `PANOPTES_STRICT_SKIPS`, by file and full title, with the reason. */
export const ALLOWED_SKIPS: Readonly<Record<string, string>> = {
  'packages/server/src/peer-user.test.ts > peerUser on Linux > tells users apart when another user really connects':
    'Only root may connect as another user.',
  'packages/server/src/sign-in.test.ts > the one-time link > is refused when another user of this computer opens it, and still works for its own':
    'Only root may connect as another user.',
}
