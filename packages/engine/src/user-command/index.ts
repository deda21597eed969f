export { type CommandInput, type CommandRunner, createCommandRunner } from './runner.ts'
