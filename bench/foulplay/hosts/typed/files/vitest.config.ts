import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/**/*.test.ts", "held_out/**/*.test.ts"], watch: false, pool: "threads", poolOptions: { threads: { singleThread: true } } },
});
